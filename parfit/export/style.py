"""How the page looks, on the screen and on paper."""

STYLE = """
body { font: 11pt/1.45 Georgia, "DejaVu Serif", serif; color: #222; max-width: 52em;
  margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; margin-bottom: 0; }
h2 { font-size: 1.15em; margin: 1.6em 0 .4em; break-after: avoid; }
h3 { font-size: 1em; font-weight: normal; font-style: italic; margin: .6em 0 .2em; break-after: avoid; }
math[display="block"] { display: block; text-align: left; margin: .6em 0 .6em 1.5em; }
table { border-collapse: collapse; border-top: 1.5px solid; border-bottom: 1.5px solid; font-size: .9em; }
th { border-bottom: 1px solid; font-weight: normal; font-style: italic; white-space: nowrap; }
th, td { text-align: right; padding: .15em .7em; vertical-align: top; font-variant-numeric: tabular-nums; }
th.left, td.left { text-align: left; overflow-wrap: break-word; }
tr { break-inside: avoid; }
pre { font: .85em/1.35 "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre-wrap; margin: 0; }
figure { margin: 0; break-inside: avoid; }
svg { width: 100%; height: auto; max-width: 46em; }
p.good, p.bad { border-left: .3em solid #2a7; padding: .3em .8em; background: #f3f8f5; }
p.bad { border-color: #c50; background: #fdf4ee; }
@media print { body { margin: 0; max-width: none; font-size: 10pt; } p.good, p.bad { background: none; } }
"""
