"""A `harald hub` on a temporary store, for tests of its pages."""
import datetime
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Not the zone of the browser.
ZONE = "Asia/Kathmandu"
HOSTILE = "<img src=x onerror=document.title=1>\u202e\"'&"


class Hub:
    def __init__(self, *arguments):
        self.directory = tempfile.mkdtemp(prefix="harald-hub-")
        self.store = os.path.join(self.directory, "hub.sqlite")
        self.binary = os.environ.get("HARALD", str(ROOT / ".build/debug/harald"))
        self.process = subprocess.Popen(
            [self.binary, "hub", "--listen", "127.0.0.1:0", "--store", self.store, "--json", *arguments],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TZ": ZONE})
        line = self.process.stdout.readline()
        assert line, f"the hub ended with status {self.process.wait()}"
        first = json.loads(line)
        self.login, self.base = first["login"], first["url"].rstrip("/")
        self.port = urllib.parse.urlsplit(self.base).port
        self.token = self.admin("token", "add", "kitchen")[0]["token"]

    def secret(self):
        """The content of the token file, which the login form takes."""
        return next(pathlib.Path(self.directory).rglob("harald-hub-token")).read_text(encoding="utf-8").strip()

    def admin(self, *arguments):
        """The output of an administration command."""
        run = subprocess.run([self.binary, "hub", *arguments, "--store", self.store, "--json"], capture_output=True,
                             text=True, timeout=120)
        assert run.returncode == 0, (arguments, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def post(self, readings):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/api/v1/readings", json.dumps({"readings": readings}), {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status == 200, answer
        assert all(one["status"] == "stored" for one in answer["results"]), answer["results"]
        return answer["results"]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        shutil.rmtree(self.directory, ignore_errors=True)


def history(days=30):
    """A month of blood pressure, glucose in both units, and weight; an urgent value; unassigned readings."""
    now = datetime.datetime.now(datetime.timezone.utc)
    readings = []

    def add(serial, hours, fields, **more):
        time = (now - datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
        readings.append({"id": str(len(readings)), "device": {"serial": serial, "name": f"{serial} {HOSTILE}"},
                         "fields": fields, "time": time, **more})

    for day in range(days):
        for hour in (1.5, 13):
            shift = (day * 7 + int(hour)) % 11
            add("CUFF", day * 24 + hour,
                {"systolic": 124 + shift, "diastolic": 76 + shift // 2, "pulseRate": 60 + shift})
        for hour in (2, 7, 12):
            add("METER", day * 24 + hour, {"glucose": {"value": f"{5.1 + (day + hour) % 6:.1f}", "unit": "mmol/L"}})
        add("SCALE", day * 24 + 3, {"weight": {"value": f"{81 - day / 20:.2f}", "unit": "kg"}})
    add("CUFF", 0.2, {"systolic": 192, "diastolic": 124, "pulseRate": 91}, simulated=True)
    add("FOUND", 1, {"systolic": 121, "diastolic": 79})
    add("FOUND", 2, {"temperature": {"value": "36.60", "unit": "°C"}})
    return readings
