"""How far what was found can be trusted: profiles, bootstraps, bands. Imports what strategies may."""
