#!/usr/bin/env python3
"""One picture of each page of `harald serve`, and of a new hub, written into the given directory; with `hub` as second
argument, of each page of `harald hub --demo` in each language instead: screenshots.py DIRECTORY [hub [WORD OF A PAGE]]."""
import json
import os
import pathlib
import subprocess
import sys

from browse_hub import PAGES, fill_in, see
from hub import ROOT, Hub
from served import Server, browser, press, size, text, theme, wait


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    if sys.argv[2:3] == ["hub"]:
        return demo(directory, sys.argv[3:])
    server, driver = Server("virtual:sensortags"), browser()
    try:
        driver.get(server.url)
        server.api("POST", "/air/devices", {"twin": "polar-h7"})
        polar, tag = server.device("Polar")["id"], server.device("SensorTag")["id"]
        driver.get(f"{server.base}/devices/{polar}")
        press(driver, "Connect", ".detail button")
        wait(lambda: "Chest" in text(driver, ".detail") or "chest" in text(driver, ".detail"), "the values")
        press(driver, "Receive Heart Rate Measurement")
        driver.get(f"{server.base}/sensortags/{tag}")
        press(driver, "Connect")
        press(driver, "All on")
        wait(lambda: driver.execute_script("return document.querySelectorAll('.tile figure').length > 5"), "plots")
        pages = {"signals": "/devices?plot=nearest", "device": f"/devices/{polar}", "sensortag": f"/sensortags/{tag}",
                 "devices": "/devices", "air": "/air", "bonds": "/bonds", "capture": "/capture", "log": "/log"}
        for width in (1280, 390):
            size(driver, width)
            for dark in (False, True):
                theme(driver, dark)
                for name, path in pages.items():
                    driver.get(server.base + path)
                    wait(lambda: len(text(driver, "#page")) > 60, f"{path} to fill")
                    # Plots need a few values.
                    driver.execute_async_script("setTimeout(arguments[0], 2500)")
                    driver.save_screenshot(str(directory / f"{name}-{width}-{'dark' if dark else 'light'}.png"))
        count = len(pages) * 4 + new_hub(driver, directory)
        print(f"{count} pictures in {directory}")
    finally:
        driver.quit()
        server.stop()


def new_hub(driver, directory):
    """The questions of a new hub, answered. Returns the number of pictures."""
    hub = Hub("--monitor", "virtual:clinic", "--yes")
    try:
        size(driver, 1280, 1180)
        driver.get(hub.login)
        fill_in(driver, "Name", "Anna")
        fill_in(driver, "Date of birth", "1961-04-30")
        press(driver, "Add the person")
        press(driver, "This is mine BP Monitor")
        see(driver, "in the range of")
        for width, height in ((1280, 1180), (390, 1400)):
            size(driver, width, height)
            for dark in (False, True):
                theme(driver, dark)
                # Colours change in steps.
                driver.execute_async_script("setTimeout(arguments[0], 500)")
                driver.save_screenshot(str(directory / f"hub-{width}-{'dark' if dark else 'light'}.png"))
    finally:
        hub.stop()
    return 4


def demo(directory, words):
    """Each page of a hub with people, whole, in each language, width and theme."""
    program = os.environ.get("HARALD", str(ROOT / ".build/debug/harald"))
    process = subprocess.Popen([program, "hub", "--demo", "--listen", "127.0.0.1:0", "--json"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    driver = browser()
    try:
        first = json.loads(process.stdout.readline())
        driver.get(first["login"])
        see(driver, "Anna")
        pages = [one for one in [*PAGES, "/people/3", "/people/4", "/people/5", "/people/1/start"]
                 if not words or any(word in one for word in words)]
        for language in sorted(file.stem for file in (ROOT / "Sources/HealthHub/Languages/Files").glob("*.json")):
            driver.execute_script(f"document.cookie = 'harald-language={language}; Path=/'")
            for width in (1280, 390):
                for dark in (False, True):
                    theme(driver, dark)
                    for path in pages:
                        size(driver, width)
                        driver.get(first["base"] + path)
                        wait(lambda: len(text(driver, "#page")) > 60, f"{path} to fill")
                        # The whole page, which scrolls in a part of the window.
                        size(driver, width, min(4000, 100 + driver.execute_script("return document.querySelector('#main').scrollHeight")))
                        driver.execute_async_script("setTimeout(arguments[0], 400)")
                        name = path.strip("/").replace("/", "-")
                        driver.save_screenshot(str(directory / f"{name}-{language}-{width}-{'dark' if dark else 'light'}.png"))
        print(f"{len(list(directory.glob('*.png')))} pictures in {directory}")
    finally:
        driver.quit()
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
