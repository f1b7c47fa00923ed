"""How large the package is: kernel lines, worst function, wheel, dependencies; ``budgets.py`` says how quick to load.

python scripts/bench/footprint.py [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from radon.complexity import cc_visit
from radon.raw import analyze

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="footprint.json")
    options = parser.parse_args()
    sources = {path: path.read_text() for path in sorted((ROOT / "aeon" / "kernel").glob("*.py"))}
    functions = [(f.complexity, f.endline - f.lineno + 1, f"{path.name}:{f.name}")
                 for path, text in sources.items() for f in cc_visit(text) if f.letter in "FM"]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT)]
        subprocess.run(command, check=True, capture_output=True)
        wheel = next(Path(folder).glob("*.whl")).stat().st_size
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = {
        "kernel_lines": sum(analyze(text).loc for text in sources.values()),
        "most_complex": max(functions),
        "longest": max((length, name) for _, length, name in functions),
        "wheel_kilobytes": round(wheel / 1024),
        "core_dependencies": len(project["dependencies"]),
    }
    print(json.dumps(found, indent=1))
    Path(options.out).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
