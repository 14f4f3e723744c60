#!/usr/bin/env python3
"""Web Bluetooth in Chromium on `harald bluez`: a page requests a device by its service, reads, writes, is notified, and
hears the disconnection. The chooser is answered by the DevTools protocol (DeviceAccess), with the browser's own adapter."""
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
import urllib.request

import websocket

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENE = """\
devices:
  - device:
      name: Strap
      advertise: {services: [180D]}
      services:
        - uuid: 180D
          characteristics:
            - {uuid: 2A37, properties: [notify], value: {hex: "00 48"}, notifyEvery: 100 ms}
            - {uuid: 2A38, properties: [read], value: {u8: 1}}
            - {uuid: 2A39, properties: [write, writeWithoutResponse], value: {u8: 0}, onWrite: {reply: [{when: "FF", disconnect: true}]}}
        - uuid: 180F
          characteristics:
            - {uuid: 2A19, properties: [read, notify], value: {u8: 85}}
"""
PAGE = b"<!doctype html><title>Web Bluetooth</title>"


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


class Browser:
    """A page of a browser, by the DevTools protocol."""

    def __init__(self, bus, folder):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "--enable-features=WebBluetooth", f"--user-data-dir={folder}/profile",
             "about:blank"],
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            text=True, errors="replace")
        for line in self.process.stderr:
            if "DevTools listening on" in line:
                port = line.split("://")[1].split("/")[0]
                break
        else:
            raise RuntimeError("the browser ended")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        pages = json.load(urllib.request.urlopen(f"http://{port}/json/list"))
        page = next(one for one in pages if one["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=60)
        self.number, self.events = 0, []

    def send(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        return self.number

    def receive(self):
        message = json.loads(self.socket.recv())
        if "method" in message:
            self.events.append(message)
        return message

    def result(self, number):
        """Waits for the answer to a command."""
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]

    def call(self, method, **parameters):
        return self.result(self.send(method, **parameters))

    def start(self, script):
        """Begins a script as if the user had pressed a button."""
        return self.send(
            "Runtime.evaluate", expression=f"(async () => {{ {script} }})()", awaitPromise=True, returnByValue=True,
            userGesture=True)

    def value(self, number):
        """Waits for the value of a script."""
        result = self.result(number)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description"))
        return result["result"].get("value")

    def run(self, script):
        return self.value(self.start(script))

    def select(self, name):
        """Selects a device in the chooser, once it is there."""
        while True:
            for event in [*self.events]:
                if event["method"] != "DeviceAccess.deviceRequestPrompted":
                    continue
                self.events.remove(event)
                prompt = event["params"]
                for device in prompt["devices"]:
                    if device["name"] == name:
                        return self.send("DeviceAccess.selectPrompt", id=prompt["id"], deviceId=device["id"])
            self.receive()


class WebBluetooth(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="harald-web-bluetooth-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        scene = pathlib.Path(self.folder, "scene.yaml")
        scene.write_text(SCENE)
        program = os.environ.get("HARALD", str(ROOT / ".build/debug/harald"))
        self.service = self.spawn([program, "bluez", "--adapter", f"virtual:{scene}", "--json"])
        bus = json.loads(self.service.stdout.readline())["address"]
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.browser = Browser(bus, self.folder)
        self.addCleanup(self.end, self.browser.process)
        self.browser.call("Page.enable")
        self.browser.call("DeviceAccess.enable")
        self.browser.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/")
        while not any(event["method"] == "Page.loadEventFired" for event in self.browser.events):
            self.browser.receive()

    def spawn(self, arguments):
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def test_a_page_uses_a_device(self):
        browser = self.browser
        request = browser.start(
            "globalThis.device = await navigator.bluetooth.requestDevice("
            "{filters: [{services: ['heart_rate']}], optionalServices: ['battery_service']}); return device.name")
        browser.select("Strap")
        self.assertEqual(browser.value(request), "Strap")
        self.assertEqual(browser.run(
            "globalThis.ended = new Promise((resolve) =>"
            " device.addEventListener('gattserverdisconnected', () => resolve('ended')));"
            "globalThis.server = await device.gatt.connect();"
            "globalThis.service = await server.getPrimaryService('heart_rate');"
            "const level = await (await server.getPrimaryService('battery_service')).getCharacteristic('battery_level');"
            "return (await level.readValue()).getUint8(0)"), 85)
        self.assertEqual(browser.run(
            "const location = await service.getCharacteristic('body_sensor_location');"
            "return (await location.readValue()).getUint8(0)"), 1)
        browser.run("globalThis.point = await service.getCharacteristic('heart_rate_control_point');"
                    "await point.writeValueWithResponse(new Uint8Array([1]))")
        self.assertEqual(browser.run(
            "const rate = await service.getCharacteristic('heart_rate_measurement'), values = [];"
            "await rate.startNotifications();"
            "await new Promise((resolve) => rate.addEventListener('characteristicvaluechanged', (event) => {"
            " if (values.push(event.target.value.getUint8(1)) === 3) resolve() }));"
            "await rate.stopNotifications(); return values"), [72, 72, 72])
        # The device ends the link.
        browser.start("await point.writeValueWithoutResponse(new Uint8Array([255]))")
        self.assertEqual(browser.run("return ended"), "ended")


if __name__ == "__main__":
    unittest.main(verbosity=2)
