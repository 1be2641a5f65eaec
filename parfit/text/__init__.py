"""Results as words and tables: pure functions, which neither ask nor print."""
