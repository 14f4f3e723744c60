#!/usr/bin/env python3
"""One picture of each page of `harald serve`, and of a new hub, written into the given directory."""
import pathlib
import sys

from browse_hub import fill_in, see
from hub import Hub
from served import Server, browser, press, size, text, theme, wait


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
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


if __name__ == "__main__":
    main()
