#!/usr/bin/env python3
"""The web site of the documentation (`make site`) in Chromium: axe finds nothing in the guides in both themes, no page is
wider than the window, no page loads anything from elsewhere, the search finds guides and symbols. With a folder as argument
it also makes pictures of the pages, 1280 and 390 pixels wide, light and dark."""
import functools
import http.server
import pathlib
import shutil
import sys
import threading

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = pathlib.Path(__file__).resolve().parents[2] / ".build/site"
PAGES = ["", "Tutorials/ios/", "Tutorials/health/", "HowTo/faults/", "Reference/http/", "Reference/ranges/", "Concepts/roles/",
         "Concepts/others/", "Workbench/", "HubFHIR/", "HubReadings/", "project/examples/"]
#: pages of many words, on which axe takes a minute, are looked at once
LONG = ["Reference/commands/", "Reference/rules/"]
#: what axe finds in the theme and not in our pages, with the reason
EXCEPTIONS = {}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    pictures = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(180)  # axe is slow on a long page
    problems = []
    try:
        for width, height, theme in ((1280, 900, "light"), (390, 844, "light"), (1280, 900, "dark"), (390, 844, "dark")):
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
            preference = {"name": "prefers-color-scheme", "value": theme}
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [preference]})
            driver.get("about:blank")  # a page of the site would store the theme of the earlier pages again
            driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": base.rstrip("/"), "storageTypes": "local_storage"})
            for page in PAGES + (LONG if (width, theme) == (1280, "light") else []):
                driver.get(base + page)
                place = f"{page or 'start'}, {width}, {theme}"
                wide = driver.execute_script("return document.documentElement.scrollWidth")
                if wide > width:
                    problems.append(f"{place}: {wide} pixels wide")
                scheme = driver.execute_script("return document.body.dataset.mdColorScheme")
                if (scheme == "slate") != (theme == "dark"):
                    problems.append(f"{place}: has the scheme {scheme}")
                for finding in Axe().run(driver)["violations"]:
                    if finding["id"] not in EXCEPTIONS:
                        problems.append(f"{place}: {finding['id']}: {finding['nodes'][0]['html'][:160]}")
                if pictures:
                    pictures.mkdir(exist_ok=True)
                    name = (page.strip("/") or "start").replace("/", "-")
                    driver.save_screenshot(str(pictures / f"{name}-{width}-{theme}.png"))
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.set_window_size(1280, 900)
        driver.get(base)
        for text, place in (("Supervision timeout", "Concepts/"), ("openL2CAPChannel", "api/documentation/harald/"),
                            ("Docker", "Troubleshooting/"), ("reconnect", "HowTo/")):
            field = driver.find_element(By.CSS_SELECTOR, ".md-search__input")
            driver.execute_script("arguments[0].focus(); arguments[0].value = arguments[1];"
                                  "arguments[0].dispatchEvent(new Event('keyup', {bubbles: true}))", field, text)
            try:
                WebDriverWait(driver, 20, ignored_exceptions=[StaleElementReferenceException]).until(lambda d: any(
                    place in (link.get_attribute("href") or "") for link in d.find_elements(By.CSS_SELECTOR, ".md-search-result__link")))
            except Exception:  # noqa: BLE001: the message is what matters
                problems.append(f"the search for '{text}' finds nothing in {place}")
        driver.get(base + "api/documentation/harald/central/")
        WebDriverWait(driver, 20).until(lambda d: "Central" in d.find_element(By.TAG_NAME, "body").text)
        problems += [entry["message"] for entry in driver.get_log("browser") if "ERR_NAME" in entry["message"]]
    finally:
        driver.quit()
        server.shutdown()
    print("\n".join(sorted(set(problems))) or f"{len(PAGES) + len(LONG)} pages: axe finds nothing, and nothing is too wide.")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
