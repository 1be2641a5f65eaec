"""What a model is; `language` reads and writes its text, `calculus` differentiates it. Imports the kernel only."""
