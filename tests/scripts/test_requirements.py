# SPDX-License-Identifier: Apache-2.0
"""What the scripts take from PyPI has a version and a hash, and what has another hash is refused
before any of its code runs (standard library only; the index is a server on this machine)."""

import hashlib
import http.server
import io
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import threading
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOCKS = ROOT / "scripts" / "requirements"


def wheel(name, version, marker):
    """A package that leaves a file when it is imported."""
    data = io.BytesIO()
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "")
        archive.writestr(f"{name}/build.py", f"open({str(marker)!r}, 'w')\n")
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}-{version}-py3-none-any.whl", data.getvalue()


def source_archive(name, version, marker):
    """A source archive whose build leaves a file."""
    data = io.BytesIO()
    files = {
        "pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'odd'\nbackend-path = "
        "['.']\n",
        "odd.py": f"open({str(marker)!r}, 'w')\n",
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
    }
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for file, text in files.items():
            entry = tarfile.TarInfo(f"{name}-{version}/{file}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"{name}-{version}.tar.gz", data.getvalue()


class Index(http.server.BaseHTTPRequestHandler):
    """A simple index (PEP 503) of `files`: {package: (file name, bytes)}."""

    files, asked = {}, []

    def do_GET(self):
        name = self.path.strip("/").split("/")[-1]
        self.asked.append(name)
        package = {key: file for key, file in self.files.items() if name in (key, file[0])}
        if not package:
            return self.send_error(404)
        ((_, (file, content)),) = package.items()
        body = content if name == file else f'<a href="/{file}">{file}</a>'.encode()
        self.send_response(200)
        self.send_header(
            "Content-Type", "application/octet-stream" if name == file else "text/html"
        )
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Requirements(unittest.TestCase):
    def test_every_package_has_a_version_and_a_hash(self):
        locks = sorted(LOCKS.glob("*.txt"))
        self.assertEqual(
            {lock.stem for lock in locks},
            {"cmake", "dev", "kokkos", "kokkos-build", "mkl", "nccl", "report", "site"},
        )
        for lock in locks:
            joined = lock.read_text().replace("\\\n", " ")
            packages = [
                line
                for line in joined.splitlines()
                if line.strip() and not line.lstrip().startswith("#")
            ]
            self.assertTrue(packages)
            for line in packages:
                self.assertRegex(line, r"^[\w-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}", lock.name)

    def test_locks_have_what_is_asked_for(self):
        for asked in LOCKS.glob("*.in"):
            lock = asked.with_suffix(".txt").read_text()
            for name in re.findall(r"^([a-z][\w-]*)", asked.read_text(), re.MULTILINE):
                self.assertRegex(lock, rf"(?m)^{name}==")

    def test_one_folder_takes_the_same_versions(self):
        """.venv holds report and dev."""
        report, dev = (
            set(
                re.findall(r"(?m)^([\w-]+==\S+(?: ; [^\\]*)?)", (LOCKS / f"{name}.txt").read_text())
            )
            for name in ("report", "dev")
        )
        names = {line.split("==")[0] for line in report} & {line.split("==")[0] for line in dev}
        self.assertIn("numpy", names)
        both = [
            {line.strip() for line in lines if line.split("==")[0] in names}
            for lines in (report, dev)
        ]
        self.assertEqual(*both)

    def test_pip_always_looks_at_hashes(self):
        for script in "setup", "bootstrap", "report":
            text = (ROOT / "scripts" / script).read_text()
            calls = re.findall(
                r"pip\W+(?:install|download)\b(?:.|\\\n|\n(?= ))*?(?:requirements/|REQUIREMENTS)",
                text,
            )
            self.assertTrue(calls, script)
            self.assertEqual(
                len(calls), len(re.findall(r"pip\W+(?:install|download)\b", text)), script
            )
            for call in calls:
                self.assertIn("--require-hashes", call, script)


class Bootstrap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.marker = self.folder / "ran"
        Index.files, Index.asked = {}, []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.upper().startswith(("PIP_", "FATVEC_", "KOKKOS"))
        }
        self.environment = {
            **inherited,
            "FATVEC_DEPS": str(self.folder / "deps"),
            "PIP_INDEX_URL": f"http://127.0.0.1:{self.server.server_port}/simple",
            "PIP_NO_CACHE_DIR": "1",
            "PIP_CONFIG_FILE": os.devnull,
            "no_proxy": "127.0.0.1",
            "NO_PROXY": "127.0.0.1",
        }

    def refused(self, command):
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=250
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("DO NOT MATCH THE HASHES", done.stderr, done.stderr)
        self.assertFalse(self.marker.exists(), "none of its code has run")
        return done

    def test_what_builds_the_archive_is_checked(self):
        lock = (LOCKS / "kokkos-build.txt").read_text()
        for name, version in re.findall(r"(?m)^([\w-]+)==(\S+)", lock):
            Index.files[name] = wheel(name.replace("-", "_"), version, self.marker)
        done = self.refused(["scripts/bootstrap", "--force-build"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing was unpacked", done.stderr)
        self.assertTrue(Index.asked, "the index of pip's settings is asked")
        self.assertEqual(list((self.folder / "deps").glob("*.tar.gz")), [])

    def test_the_archive_is_checked_before_its_code_runs(self):
        """The call of scripts/bootstrap, without what comes before it."""
        text = (ROOT / "scripts" / "bootstrap").read_text().replace("\\\n", " ")
        (arguments,) = re.findall(r'/bin/pip" (download [^;]*kokkos\.txt)', text)
        Index.files["pygenten"] = source_archive("pygenten", "0.1.5", self.marker)
        subprocess.run(["python3", "-m", "venv", self.folder / "venv"], check=True)
        self.refused(["bash", "-c", f'staging={self.folder}; "$staging/venv/bin/pip" {arguments}'])
        # The same archive under its own hash runs: the file would have been seen above.
        lock = self.folder / "own.txt"
        lock.write_text(
            "pygenten==0.1.5 "
            f"--hash=sha256:{hashlib.sha256(Index.files['pygenten'][1]).hexdigest()}\n"
        )
        own = arguments.replace("scripts/requirements/kokkos.txt", str(lock))
        subprocess.run(
            ["bash", "-c", f'staging={self.folder}; "$staging/venv/bin/pip" {own}'],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
        )
        self.assertTrue(self.marker.exists())


if __name__ == "__main__":
    unittest.main()
