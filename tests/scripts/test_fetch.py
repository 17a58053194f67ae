# SPDX-License-Identifier: Apache-2.0
"""scripts/fetch-matrices against an HTTP server on 127.0.0.1 (standard library only)."""

import gzip
import hashlib
import http.server
import io
import os
import pathlib
import resource
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

FETCH = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "fetch-matrices"
TEXT = (
    b"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 "
    + os.urandom(100_000).hex().encode().translate(bytes.maketrans(b"abcdef", b"012345"))
    + b"\n"
)  # random digits: compressed, it is still longer than any buffer


def archive(name, text=TEXT):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for member, content in (
            (f"{name}/{name}_b.mtx", b"not this one"),
            (f"{name}/{name}.mtx", text),
        ):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves server.files; the first server.cuts answers end in the middle."""

    def do_GET(self):
        server, body = self.server, self.server.files.get(self.path)
        asked = self.headers.get("Range")
        server.requests.append((self.path, asked))
        if body is None:
            return self.send_error(404)
        begin = int(asked[len("bytes=") : -1]) if asked and server.ranges else 0
        if begin >= len(body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(206 if asked and server.ranges else 200)
        if asked and server.ranges:
            self.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - begin))
        self.end_headers()
        rest = body[begin:]
        if server.cuts:
            server.cuts -= 1
            rest = rest[: len(rest) // 2]
        self.wfile.write(rest)

    def log_message(self, *_):
        pass


class Fetch(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.files, self.server.requests, self.server.cuts, self.server.ranges = (
            {},
            [],
            0,
            True,
        )
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.add("cage4", "vanHeukelum")
        folder = tempfile.TemporaryDirectory(prefix="fatvec-fetch-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def add(self, name, group, content=None):
        self.server.files[f"/MM/{group}/{name}.tar.gz"] = content or archive(name)
        return self.server.files[f"/MM/{group}/{name}.tar.gz"]

    def fetch(self, *arguments, expect=0, **options):
        environment = {**os.environ, "FATVEC_FETCH_PAUSE": "0", "no_proxy": "127.0.0.1"}
        command = [sys.executable, FETCH, "--base-url", self.url, "-o", self.folder, *arguments]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, **options
        )
        self.assertEqual(done.returncode, expect, f"{done.stdout}\n{done.stderr}")
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout + done.stderr

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def expect_whole(self, name):
        with gzip.open(self.folder / f"{name}.mtx.gz") as file:
            self.assertEqual(file.read(), TEXT)

    def test_downloads_and_records_the_checksum(self):
        told = self.fetch("cage4")
        self.assertIn("recorded in CHECKSUMS, none is published", told)
        self.expect_whole("cage4")
        self.assertEqual(self.files(), ["CHECKSUMS", "cage4.mtx.gz"])
        digest = hashlib.sha256(self.server.files["/MM/vanHeukelum/cage4.tar.gz"]).hexdigest()
        self.assertEqual((self.folder / "CHECKSUMS").read_text(), f"{digest}  cage4.tar.gz\n")

    def test_second_run_asks_for_nothing(self):
        self.fetch("cage4")
        before = (self.folder / "cage4.mtx.gz").stat().st_mtime_ns
        self.server.requests.clear()
        self.assertIn("cage4: present", self.fetch("cage4"))
        self.assertEqual(self.server.requests, [])
        self.assertEqual((self.folder / "cage4.mtx.gz").stat().st_mtime_ns, before)

    def test_goes_on_after_broken_connections(self):
        self.server.cuts = 2
        self.assertIn("the connection ended early; trying again", self.fetch("cage4"))
        self.expect_whole("cage4")
        ranges = [asked for _, asked in self.server.requests]
        size = len(self.server.files["/MM/vanHeukelum/cage4.tar.gz"])
        self.assertEqual(
            ranges, [None, f"bytes={size // 2}-", f"bytes={size // 2 + (size - size // 2) // 2}-"]
        )

    def test_goes_on_with_the_part_of_an_earlier_run(self):
        content = self.server.files["/MM/vanHeukelum/cage4.tar.gz"]
        self.server.cuts = 99
        self.assertIn("run the command again to go on", self.fetch("cage4", expect=2))
        kept = (self.folder / "cage4.tar.gz.part").read_bytes()
        self.assertTrue(content.startswith(kept) and 0 < len(kept) < len(content))
        self.server.cuts = 0
        self.fetch("cage4")
        self.assertEqual(self.server.requests[-1][1], f"bytes={len(kept)}-")
        self.expect_whole("cage4")

    def test_part_that_is_complete_or_too_long(self):
        content = self.server.files["/MM/vanHeukelum/cage4.tar.gz"]
        for part in (content, content + b"more"):
            (self.folder / "cage4.tar.gz.part").write_bytes(part)
            self.fetch("cage4")
            self.expect_whole("cage4")
            (self.folder / "cage4.mtx.gz").unlink()

    def test_server_without_ranges(self):
        self.server.ranges = False
        (self.folder / "cage4.tar.gz.part").write_bytes(b"rubbish")
        self.fetch("cage4")
        self.expect_whole("cage4")

    def test_checksum_of_the_first_download_is_compared(self):
        self.fetch("cage4")
        (self.folder / "cage4.mtx.gz").unlink()
        self.add("cage4", "vanHeukelum", archive("cage4", TEXT + b"% changed\n"))
        told = self.fetch("cage4", expect=2)
        self.assertIn("checksum mismatch: the SHA-256 of cage4.tar.gz", told)
        self.assertEqual(self.files(), ["CHECKSUMS"])

    def test_published_checksum_is_compared(self):
        content = self.add("other", "Group")
        table = self.folder / "table"
        for md5, expect in ((hashlib.md5(content).hexdigest(), 0), ("0" * 32, 2)):
            table.write_text(f"name\tsource\tmd5\tsuites\nother\tGroup\t{md5}\tone\n")
            told = self.fetch("--table", table, "--suite", "one", expect=expect)
            self.assertIn("checksum mismatch: the MD5" if expect else "checksum as expected", told)
            (self.folder / "other.mtx.gz").unlink(missing_ok=True)

    def test_plain_file_instead_of_an_archive(self):
        self.server.files["/p.mtx.gz"] = gzip.compress(TEXT)
        (self.folder / "table").write_text(
            f"name\tsource\tmd5\tsuites\np\t{self.url}/p.mtx.gz\t-\tone\n"
        )
        self.fetch("--table", self.folder / "table", "p")
        self.expect_whole("p")

    def test_not_found_is_told_and_the_others_go_on(self):
        told = self.fetch("west2021", "cage4", expect=2)
        self.assertIn(
            f"fetch-matrices: west2021: 404, not found: {self.url}/MM/HB/west2021.tar.gz", told
        )
        self.expect_whole("cage4")
        self.assertEqual(self.files(), ["CHECKSUMS", "cage4.mtx.gz"])

    def test_damaged_archives_leave_nothing(self):
        good = archive("cage4")
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 0xFF
        for content in (good[:-20], bytes(flipped), b"<html>no matrix</html>", archive("cage5")):
            self.add("cage4", "vanHeukelum", content)
            told = self.fetch("cage4", expect=2)
            self.assertRegex(told, "damaged|holds no Matrix Market file")
            self.assertEqual(self.files(), [])

    def test_no_room(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        told = self.fetch("cage4", expect=2, preexec_fn=small_files)
        self.assertIn("no room left in", told)
        self.assertNotIn("cage4.mtx.gz", self.files())
        self.fetch("cage4")
        self.expect_whole("cage4")

    def test_server_that_is_not_there(self):
        self.server.shutdown()
        self.server.server_close()
        self.assertIn("refused", self.fetch("cage4", expect=2))

    def test_any_matrix_of_the_collection(self):
        self.add("ash85", "HB")
        self.fetch("HB/ash85")
        self.expect_whole("ash85")

    def test_unknown_names(self):
        self.assertIn("similar: cavity10", self.fetch("cavity1", expect=2))
        self.assertIn("there are: balayre, calzetta, stec", self.fetch("--suite", "none", expect=2))
        self.assertIn("Give names or --suite", self.fetch(expect=2))


if __name__ == "__main__":
    unittest.main()
