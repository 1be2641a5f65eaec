"""How often 95 % intervals of STATS and of PROFILE hold the truth, in 500 data sets of three problems.

    nice python tests/benchmarks/coverage.py [--quick]

Where linear theory holds, both are to do so in 93 to 97 of 100; where it does not, profiles are.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from covered import CASES, coverage
from timing import table

LEAST, MOST = 93.0, 97.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="100 data sets")
    n = 100 if parser.parse_args().quick else 500
    rows, is_right = [["problem", "parameter", "profiles %", "linear theory %", "not fitted"]], True
    for case in CASES:
        found = coverage(case, n)
        for name, by_profile, by_theory in zip(found.names, found.by_profile, found.by_theory, strict=True):
            profile, theory = (100.0 * each / n for each in (by_profile, by_theory))
            is_right &= LEAST <= profile <= MOST and (not case.is_linear or LEAST <= theory <= MOST)
            rows.append([case.name, name, f"{profile:.1f}", f"{theory:.1f}", str(found.n_failed)])
    sys.stdout.write(table(rows) + "\n")
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
