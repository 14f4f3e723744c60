"""Tests of the explorer's pages: each has a server of its own, and needs no other test."""
import traceback

from selenium.webdriver.common.by import By

from served import Server, browser, press, size, text, theme, wait

tests = []


def test(function=None, *, logs_in=True):
    """Declares a test, which begins on the list of devices unless `logs_in` is false."""
    if function is None:
        return lambda function: test(function, logs_in=logs_in)
    tests.append((function, logs_in))
    return function


def see(driver, words, selector="#page", seconds=20):
    wait(lambda: words in text(driver, selector), f"“{words}” in {selector}", seconds)


def connect(driver, words):
    """Connects the device of the page, and waits until the words are there."""
    press(driver, "Connect", ".detail button")
    see(driver, words, ".detail")


def open_strap(server, driver):
    """Puts a heart rate strap on the air and connects it on its page."""
    strap = server.put(twin="polar-h7")
    driver.get(f"{server.base}/devices/{strap['device']}")
    connect(driver, "Heart Rate Measurement")
    return strap


def open_gadget(server, driver):
    """Puts a device with characteristics of a vendor on the air and connects it on its page."""
    gadget = server.put(twin="vendor-fff0")
    driver.get(f"{server.base}/devices/{gadget['device']}")
    connect(driver, "FFF1")
    return gadget


def open_menu(driver):
    """Opens the menu of the device, whose actions are not needed often."""
    if not driver.find_elements(By.CSS_SELECTOR, ".detail .menu[open]"):
        press(driver, "More for this device", ".detail summary")


def enter_passkey(driver):
    """Answers the question for the passkey of the locked lamp."""
    see(driver, "Locked Lamp", "dialog")
    driver.find_element(By.ID, "passkey").send_keys("123456")
    press(driver, "Pair", "dialog button")
    see(driver, "stored", ".detail .strip")


def run_one(function, logs_in, driver):
    server = Server()
    try:
        if logs_in:
            driver.get(server.url)
            see(driver, "SensorTag", ".list")
        function(server, driver)
        faults = [entry["message"] for entry in driver.get_log("browser")
                  if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]
                  and "ERR_" not in entry["message"]]
        assert not faults, faults
    except Exception:
        print(text(driver)[:600])
        raise
    finally:
        # The page of a server that has ended would write errors into the log of the next test.
        driver.get("about:blank")
        # A cookie is sent to all ports of a host.
        driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        driver.get_log("browser")
        size(driver, 1280)
        theme(driver, False)
        server.stop()


def run(words):
    """Runs the tests whose names contain one of the words, or all; returns the exit status."""
    driver, failed = browser(), 0
    chosen = [one for one in tests if not words or any(word in one[0].__name__ for word in words)]
    try:
        for function, logs_in in chosen:
            name = function.__name__.replace("_", " ")
            try:
                run_one(function, logs_in, driver)
                print(f"✔ {name}", flush=True)
            except Exception:
                failed += 1
                print(f"✘ {name}", flush=True)
                traceback.print_exc(limit=-3)
    finally:
        driver.quit()
    print(f"{len(chosen) - failed} of {len(chosen)} tests in the browser passed")
    return 1 if failed or not chosen else 0
