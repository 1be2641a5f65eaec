"""Models and problems of other programs, to and from ours: SBML, PEtab. Imported only when such a file is met."""
