"""Results for other programs and for paper: JSON, CSV and a page of HTML. Pure functions of an environment."""
