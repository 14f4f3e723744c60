#!/usr/bin/env python3
"""Goes through the main pages of `harald serve` in a headless Firefox: the engine that browse.py does not use."""
import shutil
import sys

from marionette_driver.marionette import Marionette

from served import Server, wait


def main():
    server = Server()
    driver = Marionette(bin=shutil.which("firefox-esr") or shutil.which("firefox"), headless=True, port=0,
                        gecko_log=f"{server.directory}/firefox.log", startup_timeout=120)
    faults = []

    def run(script, *arguments):
        return driver.execute_script(script, script_args=arguments)

    def text(selector="body"):
        return run("""return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText).join("\\n")""",
                   selector)

    def see(words, selector="#page", seconds=45):
        wait(lambda: words in text(selector), f"“{words}” in {selector}", seconds)

    def press(label, selector="button"):
        wait(lambda: run("""const one = [...document.querySelectorAll(arguments[0])].find((one) => !one.disabled
            && (one.innerText.trim() === arguments[1] || one.getAttribute('aria-label') === arguments[1]));
            one?.click(); return !!one""", selector, label), f"the button {label}")

    try:
        driver.start_session()
        driver.navigate(server.url)
        see("SensorTag", ".list")
        assert run("return typeof SharedWorker") == "function"
        server.api("POST", "/air/devices", {"twin": "polar-h7"})
        see("Polar", ".list")
        driver.navigate(f"{server.base}/devices/{server.device('Polar')['id']}")
        press("Connect", ".detail button")
        press("Read Battery Level")
        see("%", "section[aria-label='Battery Level'] .value")
        press("Receive Heart Rate Measurement")
        wait(lambda: run("return document.querySelectorAll("
                         "\"section[aria-label='Heart Rate Measurement'] figure\").length"),
             "a plot of the heart rate")
        for page, words in (("/sensortags", "SensorTag"), ("/air", "Polar"), ("/bonds", "No bond"),
                            ("/capture", "Start"), ("/log", "subscribed"),
                            ("/devices?plot=nearest", "Compare")):
            driver.navigate(server.base + page)
            see(words)
            wide = run("return document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, (page, wide)
        print("✔ Firefox shows the pages, follows values, and shares one stream")
    except Exception as error:
        faults.append(error)
        print(f"✘ Firefox: {type(error).__name__}: {error}")
        try:
            print(text()[:600])
        except Exception:
            pass
    finally:
        try:
            driver.quit(in_app=False)
        except Exception as error:
            print(f"Firefox did not end as asked: {error}", file=sys.stderr)
        server.stop()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
