"""SBML, level 2 and 3: XML to components, components to the text of an `.ode` file."""
