"""How large and how quick to load the package is: kernel lines, worst function, import time, wheel, dependencies.

python scripts/bench/footprint.py [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from radon.complexity import cc_visit
from radon.raw import analyze

ROOT = Path(__file__).parents[2]
IMPORTS = ("import aeon", "from aeon import build")


def cold(code: str, runs: int = 9) -> dict[str, float]:
    """Milliseconds that a fresh process needs for the code beyond what it needs for nothing: median, least, most."""
    spent = []
    for _ in range(runs):
        times = []
        for program in ("pass", code):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
            times.append(time.perf_counter() - began)
        spent.append(1000 * (times[1] - times[0]))
    return {"median": round(statistics.median(spent)), "min": round(min(spent)), "max": round(max(spent))}


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
        "milliseconds": {code: cold(code) for code in IMPORTS},
        "wheel_kilobytes": round(wheel / 1024),
        "core_dependencies": len(project["dependencies"]),
    }
    print(json.dumps(found, indent=1))
    Path(options.out).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
