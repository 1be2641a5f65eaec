"""Commands that look at what there is: statistics, pictures, reports."""
