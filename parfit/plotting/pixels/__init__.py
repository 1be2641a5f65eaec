"""Pictures as pixels in the languages of terminals that show them; knows neither a terminal nor a session."""
