"""A `harald serve` on a virtual radio, a browser, and requests to the API."""
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]

HOSTILE = """\
name: "<img src=x onerror=document.title=1>"
address: C0:BA:D0:00:00:01
"""
LOCKED = """\
name: Locked Lamp
replacesBonds: true
address: C0:BA:D0:00:00:02
passkey: 123456
services:
  - uuid: 180F
    characteristics:
      - uuid: 2A19
        properties: [read]
        security: authenticated
        value: {u8: 50}
"""


class Server:
    """A server in a separate process. A second start uses the same port and the same store."""

    def __init__(self, adapter="virtual:sensortags", *options):
        self.adapter, self.options = adapter, options
        self.directory = tempfile.mkdtemp(prefix="harald-web-")
        self.port = 0
        self.start()

    def start(self):
        self.binary = os.environ.get("HARALD", str(ROOT / ".build/debug/harald"))
        environment = {**os.environ, "XDG_DATA_HOME": self.directory, "XDG_RUNTIME_DIR": self.directory}
        self.token_file = os.path.join(self.directory, "token")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--adapter", self.adapter, "--listen", f"127.0.0.1:{self.port}", "--no-browser", "--json",
             "--token-file", self.token_file, *self.options],
            env=environment, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line, f"the server ended with status {self.process.wait()}"
        self.url = json.loads(line)["url"]
        parts = urllib.parse.urlsplit(self.url)
        self.port, self.base = parts.port, f"{parts.scheme}://{parts.netloc}"
        self.token = pathlib.Path(self.token_file).read_text().strip()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=10)
        shutil.rmtree(self.directory, ignore_errors=True)
        return status

    def request(self, method, path, body=None, headers=None):
        """Status, headers and content of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        fields = {"Authorization": f"Bearer {self.token}"} if headers is None else dict(headers)
        data = None
        if body is not None:
            data = json.dumps(body)
            fields["Content-Type"] = "application/json"
        connection.request(method, path, data, fields)
        response = connection.getresponse()
        content = response.read()
        if "json" in response.headers.get("Content-Type", ""):
            content = json.loads(content)
        return response.status, response.headers, content

    def api(self, method, path, body=None):
        status, _, content = self.request(method, "/api/v1" + path, body)
        assert status < 300, f"{method} {path}: {status} {content}"
        return content

    def put(self, **source):
        """Puts a device on the air, by `twin` or `yaml`, and waits until it is heard: its `id` there, and its `device`."""
        added = self.api("POST", "/air/devices", source)
        return wait(lambda: (one := self.api("GET", f"/air/devices/{added['id']}"))["device"] and one, "the device")

    def device(self, name):
        """The device whose name contains the text, once it was found."""
        return wait(lambda: next(iter(self.api("GET", "/devices?name=" + urllib.parse.quote(name))["devices"]), None),
                    f"a device {name}")


def wait(condition, what, seconds=20):
    """Waits for the condition and returns its first true value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.05)


def browser(width=1280, height=900, dark=False, language="en-US"):
    """A headless Chromium with a temporary profile."""
    options = webdriver.ChromeOptions()
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            options.binary_location = shutil.which(name)
            break
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    # axe is slow on a loaded machine.
    driver.set_script_timeout(180)
    size(driver, width, height)
    theme(driver, dark)
    return driver


def size(driver, width, height=900):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


def theme(driver, dark):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})


def text(driver, selector="body"):
    return driver.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText).join('\\n')", selector)


def press(driver, label, selector="button"):
    """Clicks the button with the text or the label, once it exists and is enabled."""
    script = """return [...document.querySelectorAll(arguments[0])].find((one) => !one.disabled && one.checkVisibility()
        && (one.innerText.trim() === arguments[1] || one.getAttribute('aria-label') === arguments[1]))"""
    wait(lambda: driver.execute_script(script, selector, label), f"the button {label}").click()
