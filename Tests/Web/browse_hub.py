#!/usr/bin/env python3
"""Goes through every page of `harald hub` in a real browser."""
import http.server
import sys
import threading
import traceback

from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By

from hub import HOSTILE, Hub, history
from served import browser, press, size, text, theme, wait

PAGES = ["/people", "/people/1", "/people/1/readings", "/people/1/report", "/people/2", "/devices", "/gateways",
         "/unassigned", "/outboxes", "/rules"]
tests = []


def test(function):
    tests.append(function)
    return function


def see(driver, words, selector="#page", seconds=30):
    wait(lambda: words in text(driver, selector), f"“{words}” in {selector}", seconds)


@test
def the_printed_url_logs_in_once(hub, driver):
    driver.get(hub.login)
    see(driver, "People", "#page h1")
    assert "token" not in driver.current_url
    other = browser()
    try:
        other.get(hub.login)
        assert "Anna" not in text(other), "the login URL was accepted twice"
    finally:
        other.quit()


@test
def people_have_their_latest_readings_and_notices(hub, driver):
    driver.get(hub.base + "/people")
    see(driver, "Anna")
    see(driver, "192/124 mmHg")
    see(driver, "severe hypertension")
    assert "HTEST" in text(driver, "tbody tr:first-child")


@test
def markup_in_a_name_is_shown_as_text(hub, driver):
    for page in ("/people", "/people/2", "/devices", "/people/1/readings", "/unassigned"):
        driver.get(hub.base + page)
        see(driver, "<img src=x onerror")
        assert not driver.find_elements(By.TAG_NAME, "img"), page
        assert driver.title != "1", page


@test
def a_state_has_text_and_plots(hub, driver):
    driver.get(hub.base + "/people/1")
    see(driver, "Latest readings")
    assert driver.find_element(By.CSS_SELECTOR, "[role=alert]").text.startswith("192/124 mmHg")
    names = [one.get_attribute("aria-label") for one in driver.find_elements(By.CSS_SELECTOR, "figure svg")]
    assert any("Blood pressure" in name for name in names) and any("Glucose" in name for name in names), names
    assert any("Weight" in name for name in names), names
    # The limits of the ranges for Anna, and the 90th percentile of the glucose values.
    assert driver.find_elements(By.CSS_SELECTOR, "figure line.border")
    assert driver.find_elements(By.CSS_SELECTOR, "figure .range")
    for shape in driver.find_elements(By.CSS_SELECTOR, "figure path"):
        assert "NaN" not in (shape.get_attribute("d") or ""), "a plot without numbers"
    words = text(driver)
    for phrase in ("mean of 7 days", "7 days", "30 days", "not a medical device", "normal weight"):
        assert phrase in words, phrase
    # The parts of the day depend on the time.
    assert any(part in words for part in ("morning", "afternoon", "evening", "night")), words


@test
def readings_name_their_origin(hub, driver):
    driver.get(hub.base + "/people/1/readings")
    see(driver, "181 readings")
    row = text(driver, "tbody tr:first-child")
    assert "192/124 mmHg" in row and "kitchen" in row and "CUFF" in row, row
    driver.get(hub.base + "/gateways")
    see(driver, "kitchen")
    see(driver, "valid")


@test
def a_report_can_be_printed(hub, driver):
    driver.get(hub.base + "/people/1/report")
    see(driver, "Report of")
    paper = driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert len(paper) > 20000
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not driver.find_element(By.ID, "nav").is_displayed()
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@test
def rules_have_their_sources(hub, driver):
    driver.get(hub.base + "/rules")
    see(driver, "McEvoy et al., 2024 ESC Guidelines")
    see(driver, "≥ 135 mmHg")


@test
def pages_are_accessible_and_fit_a_phone(hub, driver):
    for width in (1280, 390):
        size(driver, width)
        for dark in (False, True):
            theme(driver, dark)
            for page in PAGES:
                driver.get(hub.base + page)
                wait(lambda: len(text(driver, "#page")) > 20, f"{page} to fill")
                found = Axe().run(driver)["violations"]
                assert not found, (page, width, dark, [(one["id"], one["nodes"][0]["html"][:200]) for one in found])
                wide = driver.execute_script(
                    "return Math.max(document.documentElement.scrollWidth, "
                    "document.querySelector('#main').scrollWidth)")
                assert wide <= width, (page, width, wide)
    size(driver, 1280)
    theme(driver, False)


@test
def unassigned_readings_are_assigned(hub, driver):
    # A device of which only the System ID is known, and two with one serial number.
    def post(**device):
        hub.post([{"id": "a", "device": device, "fields": {"systolic": 118, "diastolic": 76}}])

    post(serial="0000", systemID="2122232425262728")
    hub.admin("assign", "0000", "2")
    post(serial="0000", systemID="3132333435363738")
    post(systemID="2112131415161718")
    driver.get(hub.base + "/unassigned")
    see(driver, "121/79 mmHg")
    for name in ("FOUND", "2112131415161718", "0000"):
        press(driver, f"Assign {name} to the person")
        wait(lambda: f"Assign {name} to" not in driver.page_source, f"the page without {name}")
    see(driver, "All readings are assigned")
    assert hub.admin("audit")[0]["action"].startswith("assign id:")
    driver.get(hub.base + "/people/1/readings")
    see(driver, "36.60 °C")


@test
def long_lists_say_how_much_of_them_is_shown(hub, driver):
    for number in range(50):
        hub.admin("person", "add", f"Patient {number}", "--born", "1960-01-01")
    driver.get(hub.base + "/people")
    see(driver, "50 of 52 people are shown.")
    assert "Patient 49" not in text(driver)
    press(driver, "Show more people")
    see(driver, "52 people")
    see(driver, "Patient 49")
    hub.post([{"id": f"lost-{number}", "device": {"serial": "LOST"}, "characteristic": "2A1C", "hex": "006E0100FF",
               "time": f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"} for number in range(510)])
    driver.get(hub.base + "/unassigned")
    see(driver, "500 of 510 readings are shown.")
    press(driver, "Show more readings")
    see(driver, "LOST – 510 readings")


@test
def an_outbox_shows_parked_messages_and_retries(hub, driver):
    statuses = [422]

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(statuses[0])
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hub.admin("forward", "add", "webhook", f"http://127.0.0.1:{server.server_port}/", "--name", HOSTILE)
    hub.post([{"id": "x", "device": {"serial": "CUFF"}, "fields": {"systolic": 120, "diastolic": 80}}])
    wait(lambda: hub.admin("forward", "list")[0]["parked"] == 1, "the message to be parked")
    driver.get(hub.base + "/outboxes")
    see(driver, "status 422")
    see(driver, "<img src=x onerror")
    statuses[0] = 200
    driver.find_element(By.CSS_SELECTOR, "tbody button").click()
    wait(lambda: hub.admin("forward", "list")[0]["parked"] == 0, "the message to be delivered")
    server.shutdown()


@test
def an_account_logs_in_and_a_reader_cannot_change_data(hub, driver):
    with open(hub.directory + "/password", "w", encoding="utf-8") as file:
        file.write("correct horse\n")
    hub.admin("user", "add", "doctor", "--role", "reader", "--password-file", hub.directory + "/password")
    other = browser()
    try:
        other.get(hub.base + "/people")
        assert "Anna" not in text(other)
        for password, isRight in (("wrong horse", False), ("correct horse", True)):
            wait(lambda: other.find_elements(By.NAME, "name"), "the form")
            other.find_element(By.NAME, "name").send_keys("doctor")
            other.find_element(By.NAME, "secret").send_keys(password)
            other.find_element(By.CSS_SELECTOR, "form button").click()
            if isRight:
                see(other, "Anna")
            else:
                wait(lambda: other.find_elements(By.NAME, "name"), "the form again")
                assert "Anna" not in text(other)
                other.get(hub.base + "/people")
        hub.post([{"id": "y", "device": {"serial": "LATE"}, "fields": {"systolic": 120, "diastolic": 80}}])
        other.get(hub.base + "/unassigned")
        press(other, "Assign LATE to the person")
        wait(lambda: "reader" in text(other) and "editor" in text(other), "the refusal")
        hub.admin("user", "remove", "doctor")
        other.get(hub.base + "/people")
        wait(lambda: other.find_elements(By.NAME, "name"), "the form after the removal")
    finally:
        other.quit()


def prepare(hub):
    hub.admin("person", "add", "Anna", "--born", "1961-04-30", "--height", "1.85 m")
    hub.admin("person", "add", HOSTILE, "--born", "1971-04-30", "--guideline", "acc-aha")
    for device in ("CUFF", "METER", "SCALE"):
        hub.admin("assign", device, "1")
    hub.admin("person", "set", "1", "--target", "systolic=120..129 mmHg", "--every", "temperature=7")
    hub.post(history())


def main():
    hub, failed = Hub(), 0
    driver = browser()
    chosen = [one for one in tests if not sys.argv[1:] or any(word in one.__name__ for word in sys.argv[1:])]
    if tests[0] not in chosen:
        chosen.insert(0, tests[0])
    try:
        prepare(hub)
        for one in chosen:
            name = one.__name__.replace("_", " ")
            try:
                one(hub, driver)
                faults = [entry["message"] for entry in driver.get_log("browser")
                          if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]
                assert not faults, faults
                print(f"ok   {name}", flush=True)
            except Exception:
                failed += 1
                print(f"FAIL {name}", flush=True)
                traceback.print_exc()
    finally:
        driver.quit()
        hub.stop()
    print(f"{len(chosen) - failed} of {len(chosen)} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
