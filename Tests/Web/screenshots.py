#!/usr/bin/env python3
"""One picture of each page of `harald serve`, written into the given directory."""
import pathlib
import sys

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
        print(f"{len(pages) * 4} pictures in {directory}")
    finally:
        driver.quit()
        server.stop()


if __name__ == "__main__":
    main()
