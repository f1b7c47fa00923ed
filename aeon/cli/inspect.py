"""``aeon inspect``: a saved run in the window, from a page of this process or as one HTML file."""

from __future__ import annotations

import argparse
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from aeon.cli.output import remark
from aeon.cli.saved import read
from aeon.errors import InputFileError, UsageError
from aeon.server.inspection import page_of, saved_run

__all__ = ["command"]

_OWN_NAMES = ("127.0.0.1", "localhost")


def command(options: argparse.Namespace) -> int:
    """Write the run in ``options.file`` as a page, or serve that until Ctrl-C.

    Raises:
        InputFileError: the file cannot be read, or the page cannot be written.
        UsageError: the run's engine is not installed in this version, or the port is taken.
    """
    if options.html and os.path.lexists(options.html):
        raise InputFileError(f"{options.html}: exists already; name another file")
    read(options.file)
    page = page_of(saved_run(options.file)).encode("utf-8", "replace")
    if options.html:
        return _write(Path(options.html), page)
    return _serve(page, options.port)


def _write(path: Path, page: bytes) -> int:
    try:
        with path.open("xb") as file:
            file.write(page)
    except OSError as error:
        raise InputFileError(f"{path}: the page cannot be written: {(error.strerror or str(error)).lower()}") from None
    print(path)
    return 0


def _serve(page: bytes, port: int) -> int:
    """Give the page to this machine's browsers."""

    class Handler(BaseHTTPRequestHandler):
        """Gives the page, by its own names alone."""

        def do_GET(self) -> None:
            """Answer with the page."""
            host = self.headers.get("Host", "").rpartition(":")[0]
            found = self.path == "/" and host in _OWN_NAMES
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(page) if found else 0))
            self.end_headers()
            if found:
                self.wfile.write(page)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing: requests are nobody's business."""

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except (OSError, OverflowError):
        raise UsageError(f"--port: {port} cannot be used; name another, or leave it out for any that is free") from None
    with server:
        server.daemon_threads = True
        print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
        remark("open this address in a browser; Ctrl-C stops")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
