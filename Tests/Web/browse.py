#!/usr/bin/env python3
"""Goes through every page of `harald serve` in a real browser, against virtual devices."""
import sys
import traceback

from axe_core_python.selenium import Axe
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from served import HOSTILE, LOCKED, Server, browser, press, size, text, theme, wait

tests = []


def test(function):
    tests.append(function)
    return function


def see(driver, words, selector="#page", seconds=20):
    wait(lambda: words in text(driver, selector), f"“{words}” in {selector}", seconds)


def connect(driver):
    """Connects the device of the page, unless it is connected."""
    wait(lambda: text(driver, ".detail .state").strip(), "the state of the device")
    if text(driver, ".detail .state").strip() == "not connected":
        press(driver, "Connect", ".detail button")
    see(driver, "Heart Rate Measurement")


def open_menu(driver):
    """Opens the menu of the device, whose actions are not needed often."""
    if not driver.find_elements(By.CSS_SELECTOR, ".detail .menu[open]"):
        press(driver, "More for this device", ".detail summary")


@test
def the_printed_url_logs_in_once(server, driver):
    driver.get(server.url)
    see(driver, "SensorTag", ".list")
    cookie = driver.get_cookies()[0]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["name"].startswith("serve-"), cookie
    assert "token" not in driver.current_url
    status, _, _ = server.request("GET", server.url[len(server.base):], headers={})
    assert status == 401, status


@test
def a_foreign_host_and_a_foreign_origin_are_refused(server, driver):
    assert server.request("GET", "/health", headers={"Host": "evil.example"})[0] == 421
    assert server.request("GET", "/health", headers={})[0] == 200
    assert server.request("GET", "/api/v1/devices", headers={})[0] == 401
    cookie = driver.get_cookies()[0]
    jar = {"Cookie": f"{cookie['name']}={cookie['value']}"}
    assert server.request("GET", "/api/v1/state", headers=jar)[0] == 200
    for origin in ("http://evil.example", f"http://127.0.0.1:{server.port - 1}", "null"):
        status, _, problem = server.request("POST", "/api/v1/scan", {"active": True}, {**jar, "Origin": origin})
        assert status == 403 and problem["advice"], (origin, status)
    assert server.request("POST", "/api/v1/scan", {"active": True}, {**jar, "Origin": server.base})[0] == 200


@test
def markup_in_a_name_is_shown_as_text(server, driver):
    server.api("POST", "/air/devices", {"yaml": HOSTILE})
    driver.get(server.base + "/devices")
    see(driver, "<img src=x onerror", ".list")
    driver.get(f"{server.base}/devices/{server.device('<img')['id']}")
    see(driver, "<img src=x onerror", ".detail h1")
    assert not driver.find_elements(By.CSS_SELECTOR, "main img")


@test
def a_device_is_connected_read_and_subscribed_to(server, driver):
    server.api("POST", "/air/devices", {"twin": "polar-h7"})
    polar = server.device("Polar")
    driver.get(f"{server.base}/devices/{polar['id']}")
    connect(driver)
    press(driver, "Read Battery Level")
    see(driver, "%", "section[aria-label='Battery Level'] .value")
    press(driver, "Receive Heart Rate Measurement")
    wait(lambda: driver.find_elements(By.CSS_SELECTOR, "section[aria-label='Heart Rate Measurement'] figure"), "a plot")
    see(driver, "bpm", "section[aria-label='Heart Rate Measurement'] .huge")
    press(driver, "Stop", "section[aria-label='Heart Rate Measurement'] button")


@test
def the_search_has_the_language_of_explore_and_is_in_the_url(server, driver):
    driver.get(server.base + "/devices?q=polar")
    see(driver, "1 of", ".list .count")
    assert "SensorTag" not in text(driver, ".list .rows")
    driver.get(server.base + "/devices?q=service:180D+rssi:-100")
    see(driver, "1 of", ".list .count")
    driver.get(server.base + "/devices?q=colour:red")
    see(driver, "'colour:' is not a condition", ".list")
    driver.get(server.base + "/devices?q=nothing-has-this-name")
    see(driver, "No device fits the search", ".list")
    press(driver, "Show all", ".list a")
    see(driver, "Polar", ".list .rows")
    press(driver, "connectable", ".list button")
    wait(lambda: "q=connectable" in driver.current_url, "the chip in the address")


@test
def values_are_read_on_connection_without_pairing(server, driver):
    server.api("POST", "/air/devices", {"yaml": LOCKED})
    locked = server.device("Locked")["id"]
    driver.get(f"{server.base}/devices/{locked}")
    press(driver, "Connect", ".detail button")
    see(driver, "Needs pairing", "section[aria-label='Battery Level']")
    assert not driver.find_elements(By.CSS_SELECTOR, "dialog[open]")
    link = server.api("GET", f"/devices/{locked}/connection")
    assert link["security"] == "none" and not link["bonded"], link
    press(driver, "Disconnect", ".detail button")
    see(driver, "not connected", ".detail .state")
    driver.get(f"{server.base}/devices/{server.device('Polar')['id']}")
    connect(driver)
    see(driver, "chest", "section[aria-label='Body Sensor Location'] .value")


@test
def bytes_are_written_and_previewed(server, driver):
    server.api("POST", "/air/devices", {"twin": "vendor-fff0"})
    gadget = server.device("Gadget")["id"]
    driver.get(f"{server.base}/devices/{gadget}")
    press(driver, "Connect", ".detail button")
    see(driver, "FFF1", ".detail")
    press(driver, "Write FFF1")
    field = driver.find_element(By.CSS_SELECTOR, "section[aria-label=FFF1] .write input")
    field.send_keys("xyz")
    see(driver, "is not a value", "section[aria-label=FFF1]")
    field.clear()
    field.send_keys("AA u16:500")
    see(driver, "AA F4 01", "section[aria-label=FFF1] .write .bytes")
    press(driver, "Write 3 bytes", "section[aria-label=FFF1] button")
    see(driver, "AA F4 01 written", "section[aria-label=FFF1]")
    # The format of a value is chosen beside it, and remembered.
    press(driver, "Read FFF1", "section[aria-label=FFF1] button")
    press(driver, "Format of FFF1", "section[aria-label=FFF1] button")
    driver.find_element(By.CSS_SELECTOR, "[aria-label='Format of FFF1'] option[value=u24]").click()
    see(driver, "128170", "section[aria-label=FFF1] .value")
    driver.refresh()
    see(driver, "128170", "section[aria-label=FFF1] .value")
    press(driver, "Format of FFF1", "section[aria-label=FFF1] button")
    driver.find_element(By.CSS_SELECTOR, "[aria-label='Format of FFF1'] option[value='']").click()
    press(driver, "Write FFF1")
    driver.find_element(By.CSS_SELECTOR, "section[aria-label=FFF1] .write input").send_keys("AA u16:500")
    press(driver, "Bits", "section[aria-label=FFF1] button")
    see(driver, "Write 3 bytes", "section[aria-label=FFF1]")
    # Also on a phone, the bits of a byte stand in one line.
    size(driver, 390)
    tops = """return [...document.querySelectorAll('.bits button')].map((one) => one.getBoundingClientRect().top)"""
    wait(lambda: len(driver.execute_script(tops)) == 24, "the bits")
    rows = driver.execute_script(tops)
    assert all(len(set(rows[i:i + 8])) == 1 for i in (0, 8, 16)), rows
    size(driver, 1280)
    press(driver, "Disconnect", ".detail button")


@test
def enter_in_the_name_of_a_preset_writes_nothing(server, driver):
    gadget = server.device("Gadget")["id"]
    driver.get(f"{server.base}/devices/{gadget}")
    press(driver, "Connect", ".detail button")
    see(driver, "FFF1", ".detail")
    written = "section[aria-label=FFF1] .write"
    press(driver, "Write FFF1")
    press(driver, "Text", written + " button")
    driver.find_element(By.CSS_SELECTOR, written + " input").send_keys("good morning")
    see(driver, "Write 12 bytes", written)
    driver.find_element(By.CSS_SELECTOR, written + " summary").click()
    driver.find_element(By.CSS_SELECTOR, "[aria-label='Name of the preset']").send_keys("greet" + Keys.ENTER)
    see(driver, "greet", written + " .picks")
    press(driver, "Write 12 bytes", written + " button")
    see(driver, "written", written)
    entries = server.api("GET", f"/log?device={gadget}&limit=50")["entries"]
    assert sum(one["hex"] == b"good morning".hex().upper() for one in entries) == 1, entries
    # A read gives the text back.
    press(driver, "Read FFF1")
    see(driver, "good morning", "section[aria-label=FFF1] .value")
    press(driver, "Disconnect", ".detail button")


@test
def a_button_that_waits_stays_disabled_after_a_lost_link(server, driver):
    gadget = server.device("Gadget")
    driver.get(f"{server.base}/devices/{gadget['id']}")
    press(driver, "Connect", ".detail button")
    see(driver, "FFF1", ".detail")
    # The answer to the read comes after the event of the lost link.
    driver.execute_script("""const send = fetch;
        globalThis.fetch = async (path, options) => { const answer = await send(path, options);
            if (path.endsWith('/read')) await new Promise((resolve) => { globalThis.answer = resolve; }); return answer; };""")
    press(driver, "Read FFF1")
    wait(lambda: driver.execute_script("return !!globalThis.answer"), "the answer to the read")
    lab = next(one["id"] for one in server.api("GET", "/air")["devices"] if one["device"] == gadget["id"])
    server.api("POST", f"/air/devices/{lab}/cut")
    see(driver, "not connected", ".detail .state")
    driver.execute_async_script("globalThis.answer(); setTimeout(arguments[0], 100)")
    enabled = """return [...document.querySelectorAll('.char .do button:not(.turn), .sectionhead button')]
        .filter((one) => !one.disabled).map((one) => one.innerText)"""
    assert not driver.execute_script(enabled), driver.execute_script(enabled)


@test
def a_device_gets_a_name(server, driver):
    gadget = server.device("Gadget")["id"]
    driver.get(f"{server.base}/devices/{gadget}")
    see(driver, "Gadget", ".detail h1")
    press(driver, "More for this device", ".detail summary")
    press(driver, "Name it …", ".detail button")
    driver.find_element(By.CSS_SELECTOR, "dialog[open] input").send_keys("Desk lamp")
    press(driver, "Keep", "dialog button")
    see(driver, "Desk lamp", ".detail h1")
    see(driver, "Desk lamp", ".list")
    server.api("PUT", f"/devices/{gadget}/alias", {"alias": None})
    see(driver, "Gadget", ".detail h1")


@test
def keys_act_and_can_be_switched_off(server, driver):
    driver.get(server.base + "/devices")
    see(driver, "Polar", ".list")
    keys = ActionChains(driver)
    keys.send_keys("/").perform()
    assert driver.execute_script("return document.activeElement.type") == "search"
    ActionChains(driver).send_keys(Keys.ESCAPE).send_keys(Keys.ARROW_DOWN).perform()
    assert "rowlink" in driver.execute_script("return document.activeElement.className")
    ActionChains(driver).send_keys("?").perform()
    see(driver, "these keys", "dialog[open]")
    driver.find_element(By.ID, "keys-on").click()
    press(driver, "Close", "dialog[open] button")
    ActionChains(driver).send_keys("?").perform()
    assert not driver.find_elements(By.CSS_SELECTOR, "dialog[open]")
    press(driver, "Keys", "#nav button")
    driver.find_element(By.ID, "keys-on").click()
    press(driver, "Close", "dialog[open] button")
    # On a row of the list, Space pauses the scan, and c opens and connects the device as in `explore`.
    driver.get(server.base + "/devices?q=gadget")
    wait(lambda: text(driver, ".list .count").startswith("1 of"), "one device")
    ActionChains(driver).send_keys(Keys.ARROW_DOWN).send_keys(Keys.SPACE).perform()
    wait(lambda: not server.api("GET", "/state")["scanning"], "the pause")
    see(driver, "paused", ".list .live")
    ActionChains(driver).send_keys(Keys.SPACE).perform()
    wait(lambda: server.api("GET", "/state")["scanning"], "the scan")
    ActionChains(driver).send_keys("c").perform()
    see(driver, "FFF1", ".detail")
    ActionChains(driver).send_keys("c").perform()
    see(driver, "not connected", ".detail .state")
    # Enter leads to the values of the device, Escape back to its row.
    focus = "return document.activeElement.matches(arguments[0])"
    ActionChains(driver).send_keys(Keys.ENTER).send_keys(Keys.ARROW_DOWN).perform()
    assert driver.execute_script(focus, ".char .what a"), driver.switch_to.active_element.get_attribute("outerHTML")
    ActionChains(driver).send_keys(Keys.ESCAPE).perform()
    assert driver.execute_script(focus, "a.rowlink"), driver.switch_to.active_element.get_attribute("outerHTML")
    # The list may have a thousand rows.
    driver.find_element(By.CSS_SELECTOR, ".list .skip").send_keys(Keys.ENTER)
    assert driver.execute_script(focus, ".detail")


@test
def an_attempt_is_cancelled_without_an_error(server, driver):
    far = server.api("POST", "/air/devices", {"yaml": "name: Far\naddress: C0:BA:D0:00:00:05\n"})
    device = server.device("Far")["id"]
    server.api("PATCH", f"/air/devices/{far['id']}", {"faults": {"outOfRange": True}})
    driver.get(f"{server.base}/devices/{device}")
    press(driver, "Connect", ".detail button")
    press(driver, "Cancel", ".detail button")
    see(driver, "not connected", ".detail .state")
    wait(lambda: driver.execute_script("return !document.querySelector('.detail [data-key=c]').disabled"), "the button")
    assert not driver.find_elements(By.CSS_SELECTOR, ".detail .problem"), text(driver, ".detail .problem")
    server.request("DELETE", f"/api/v1/air/devices/{far['id']}")


@test
def a_lost_link_has_a_reason(server, driver):
    polar = server.device("Polar")
    driver.get(f"{server.base}/devices/{polar['id']}")
    connect(driver)
    for one in server.api("GET", "/air")["devices"]:
        if one["device"] == polar["id"]:
            server.api("POST", f"/air/devices/{one['id']}/cut")
    see(driver, "not connected", ".detail .state")
    see(driver, "Connection lost", ".detail .problem")
    see(driver, "last known values", ".detail .sectionhead")
    enabled = "return document.querySelectorAll('.sectionhead button:not(:disabled)').length"
    assert driver.execute_script(enabled) == 0
    connect(driver)
    see(driver, "5 services", ".detail .sectionhead")


@test
def pairing_requests_the_passkey(server, driver):
    driver.get(f"{server.base}/devices/{server.device('Locked')['id']}")
    press(driver, "Connect", ".detail button")
    press(driver, "Pair", ".detail button")
    see(driver, "Locked Lamp", "dialog")
    field = driver.find_element(By.ID, "passkey")
    field.send_keys("12x")
    press(driver, "Pair", "dialog button")
    see(driver, "six digits", "dialog[open]")
    field.clear()
    field.send_keys("123456")
    press(driver, "Pair", "dialog button")
    wait(lambda: not driver.find_elements(By.CSS_SELECTOR, "dialog[open]"), "the end of the dialog")
    see(driver, "stored", ".detail .strip")
    open_menu(driver)
    see(driver, "Pair again")


@test
def bonds_are_listed_and_deleted(server, driver):
    driver.get(server.base + "/bonds")
    see(driver, "Locked Lamp")
    press(driver, "Forget all")
    press(driver, "Keep them")
    press(driver, "Forget Locked Lamp")
    see(driver, "No bond")
    assert server.api("GET", "/bonds")["bonds"] == []
    # Deleting the bond ended the link. The next pairing is a new one, at the selected level.
    driver.get(f"{server.base}/devices/{server.device('Locked')['id']}")
    press(driver, "Connect", ".detail button")
    see(driver, "connected", ".detail .state")
    open_menu(driver)
    driver.find_element(By.CSS_SELECTOR, ".detail select option[value=authenticated]").click()
    press(driver, "Pair", ".detail button")
    see(driver, "Locked Lamp", "dialog")
    driver.find_element(By.ID, "passkey").send_keys("123456")
    press(driver, "Pair", "dialog button")
    see(driver, "stored", ".detail .strip")
    bond = server.api("GET", "/bonds")["bonds"][0]
    assert bond["security"] in ("authenticated", "secureConnections"), bond


@test
def the_rssi_of_a_connected_device_is_updated(server, driver):
    polar = server.device("Polar")
    driver.get(f"{server.base}/devices/{polar['id']}")
    connect(driver)
    see(driver, "dBm", ".detail .strip")
    for one in server.api("GET", "/air")["devices"]:
        if one["device"] == polar["id"]:
            server.api("PATCH", f"/air/devices/{one['id']}", {"distance": 30})
    wait(lambda: any(f"−{number} dBm" in text(driver, ".detail .strip") for number in range(70, 100)),
         "another strength")


@test
def a_sensortag_shows_its_sensors(server, driver):
    driver.get(server.base + "/sensortags")
    see(driver, "CC2650", "[aria-label=SensorTags]")
    see(driver, "SensorTag\n", "[aria-label=SensorTags]")
    driver.execute_script("""[...document.querySelectorAll('[aria-label=SensorTags] a')]
        .find((one) => !one.innerText.includes('CC2650')).click()""")
    see(driver, "CC2541")
    press(driver, "Connect")
    press(driver, "All on")
    for sensor in ("Temperature", "Accelerometer", "Magnetometer", "Gyroscope", "Humidity", "Air pressure", "Keys"):
        see(driver, sensor, ".tiles")
    see(driver, "pressed", "section[aria-label=keys]")
    see(driver, "°C", "section[aria-label=temperature]")
    see(driver, "%", "section[aria-label=humidity]")
    see(driver, "Device information")
    press(driver, "Calibrate the magnetometer")
    see(driver, "calibrated", "section[aria-label=magnetometer]")
    # The position follows from the accelerometer.
    see(driver, "Position", ".tiles")
    wait(lambda: driver.execute_script("return document.querySelectorAll('.position path').length") == 2, "a drawing")
    driver.find_element(By.CSS_SELECTOR, "section[aria-label=humidity] input[type=checkbox]").click()
    wait(lambda: not [one for one in server.api("GET", "/sensortags")["tags"] for sensor in one["sensors"] or []
                      if sensor["sensor"] == "humidity" and sensor["on"]], "the humidity sensor to be off")


@test
def a_sensortag_that_another_page_connected_shows_its_sensors(server, driver):
    tag = server.device("CC2650")["id"]
    driver.get(f"{server.base}/devices/{tag}")
    press(driver, "Connect", ".detail button")
    see(driver, "connected", ".detail .state")
    driver.get(f"{server.base}/sensortags/{tag}")
    press(driver, "Show the sensors")
    see(driver, "Temperature", ".tiles")
    press(driver, "Disconnect")
    see(driver, "Connect")


@test
def other_devices_stand_beside_the_sensortags(server, driver):
    server.api("POST", "/air/devices", {"yaml": "name: Plain\naddress: C0:BA:D0:00:00:04\n"})
    server.api("POST", "/air/devices", {"twin": "home-bthome"})
    server.device("Plain")
    driver.get(server.base + "/sensortags")
    others = "[aria-label='Other devices']"
    see(driver, "Living room", others)
    # A sensor shows what it measures, and is before devices that measure nothing.
    see(driver, "21.5 °C", others)
    names = text(driver, others + " .name").splitlines()
    assert names.index("Living room") < names.index("Plain"), names
    driver.execute_script(
        f"[...document.querySelectorAll(`{others} a`)].find((one) => one.innerText.includes('Living')).click()")
    see(driver, "Living room", ".detail h1")
    see(driver, "Humidity", ".detail .ad")


@test
def numbers_of_several_devices_share_a_plot(server, driver):
    polar = server.device("Polar")["id"]
    driver.get(f"{server.base}/devices/{polar}")
    connect(driver)
    press(driver, "Receive Heart Rate Measurement")
    see(driver, "bpm", "section[aria-label='Heart Rate Measurement'] .huge")
    press(driver, "Compare", ".detail .sectionhead a")
    see(driver, "Polar H7", ".detail .picks")
    see(driver, "Heart rate", ".detail .picks")
    choose = """return [...document.querySelectorAll(".detail .picks [label='Living room'] option")]
        .find((one) => one.innerText === 'Temperature')"""
    wait(lambda: driver.execute_script(choose), "the temperature of another device").click()
    see(driver, "Living room: Temperature", ".detail .picks")
    see(driver, "bpm", ".detail .plot output")
    see(driver, "°C", ".detail .plot output")
    # The page keeps its lines: they are read again from the server.
    driver.refresh()
    see(driver, "Heart rate", ".detail .picks")
    see(driver, "bpm", ".detail .plot output")


@test
def a_plot_keeps_what_the_server_has_dropped(server, driver):
    points = driver.execute_async_script("""const done = arguments[0], style = document.querySelector('link[href*=style]');
        import(style.href.replace('style.css', 'plot.js')).then(({ Plot }) => {
            const plot = new Plot({ title: 'Signal' });
            plot.add('one', [[1, -50], [2, -51]]);
            plot.set(0, [[2, -51], [3, -52]]);
            done(plot.series[0].points.map((one) => one[0])); })""")
    assert points == [1, 2, 3], points


@test
def the_first_quantity_of_a_value_is_large(server, driver):
    titles = driver.execute_async_script("""const done = arguments[0], script = document.querySelector('script[src*=app]');
        import(script.src.replace('app.js', 'value.js')).then(({ valueView }) => {
            const time = [{ name: 'exact time', text: '2026-01-01' }, { name: 'fractions', text: '0', number: 0 }];
            const rate = [{ name: 'contact', text: 'yes' }, { name: 'heart rate', text: '72', number: 72, unit: 'bpm' }];
            done([time, rate].map((one) => valueView(one, true).firstChild.textContent)); })""")
    assert titles == ["Exact time2026-01-01", "Heart rate72bpm"], titles


@test
def kinds_are_searched(server, driver):
    driver.get(server.base + "/devices?q=kind:heart")
    see(driver, "1 of", ".list .count")
    see(driver, "Polar", ".list .rows")


@test
def virtual_devices_are_added_edited_and_removed(server, driver):
    driver.get(server.base + "/air")
    see(driver, "SensorTag")
    driver.find_element(By.CSS_SELECTOR, "#page summary").click()
    editor = driver.find_element(By.TAG_NAME, "textarea")
    editor.send_keys("name: Edited\naddress: C0:BA:D0:00:00:03\nservces: []\n")
    see(driver, "line 3", "#yaml-errors")
    editor.clear()
    editor.send_keys("name: Edited\naddress: C0:BA:D0:00:00:03\n")
    see(driver, "a valid device file", "#yaml-errors")
    press(driver, "Put this file on the air")
    see(driver, "Edited", "#page h2")
    server.device("Edited")
    press(driver, "Remove Edited")
    wait(lambda: "Edited" not in text(driver, "#page h2"), "Edited to go")


@test
def a_clone_is_changed(server, driver):
    def clones():
        return [one for one in server.api("GET", "/air")["devices"] if one["name"] == "Polar H7 4C1A2B"]

    polar = server.device("Polar")["id"]
    driver.get(f"{server.base}/devices/{polar}")
    see(driver, "Polar", ".detail h1")
    if text(driver, ".detail .state").strip() == "connected":
        press(driver, "Disconnect", ".detail button")
    connect(driver)
    see(driver, "%", "section[aria-label='Battery Level'] .value")
    open_menu(driver)
    press(driver, "Put a clone on the air", ".detail button")
    press(driver, "Open the laboratory", ".detail .note a")
    see(driver, "Polar")
    driver.find_elements(By.CSS_SELECTOR, "[aria-label='Edit a copy of Polar H7 4C1A2B']")[-1].click()
    wait(lambda: "2A19" in driver.execute_script("return document.querySelector('textarea').value"), "the device file")
    # 85 % in the original.
    driver.execute_script("""const one = document.querySelector('textarea');
        one.value = one.value.replace('{hex: "55"}', '{u8: 20}'); one.dispatchEvent(new Event('input'));""")
    press(driver, "Replace Polar H7 4C1A2B")
    see(driver, "is on the air", "#page .note")
    assert len(clones()) == 2, clones()
    clone = clones()[-1]["device"] or wait(lambda: clones()[-1]["device"], "the clone to be heard")
    driver.get(f"{server.base}/devices/{clone}")
    press(driver, "Connect", ".detail button")
    see(driver, "20", "section[aria-label='Battery Level'] .value")
    press(driver, "Disconnect", ".detail button")
    server.request("DELETE", f"/api/v1/air/devices/{clones()[-1]['id']}")


@test
def a_device_that_was_never_connected_has_no_file(server, driver):
    added = server.api("POST", "/air/devices", {"yaml": "name: Unknown\naddress: C0:BA:D0:00:00:06\n"})
    driver.get(f"{server.base}/devices/{server.device('Unknown')['id']}")
    for action in ("Save as a device file", "Put a clone on the air"):
        open_menu(driver)
        press(driver, action, ".detail button")
        see(driver, "connect first", ".detail .problem")
    server.request("DELETE", f"/api/v1/air/devices/{added['id']}")


@test
def a_capture_is_recorded_and_downloaded(server, driver):
    driver.get(server.base + "/capture")
    press(driver, "Start")
    see(driver, "running")
    press(driver, "Stop")
    see(driver, "stopped")
    status, _, content = server.request("GET", "/api/v1/capture/file")
    assert status == 200 and content.startswith(b"btsnoop\0"), status


@test
def the_log_is_filtered(server, driver):
    driver.get(server.base + "/log")
    see(driver, "connection")
    driver.get(server.base + "/log?kind=pairing")
    see(driver, "Locked Lamp")


@test
def a_server_that_only_reads_hides_what_it_refuses(server, driver):
    other = Server("virtual:sensortags", "--read-only")
    try:
        driver.get(other.url)
        see(driver, "Read only", "#banner")
        driver.get(f"{other.base}/devices/{other.device('SensorTag')['id']}")
        press(driver, "Connect", ".detail button")
        see(driver, "Read", ".detail .char")
        labels = text(driver, ".detail").splitlines()
        assert "Receive" in labels and "Write" not in labels and "Pair" not in labels, labels
        driver.get(other.base + "/air")
        see(driver, "Read only")
        assert "Put on the air" not in text(driver, "#page")
    finally:
        other.stop()
        driver.get(server.base + "/devices")


@test
def every_page_is_accessible(server, driver):
    tag = next(one for one in server.api("GET", "/sensortags")["tags"] if one["state"] == "connected")
    pages = ["/devices", "/devices?plot=nearest", f"/devices/{server.device('Locked')['id']}", "/sensortags",
             f"/sensortags/{tag['id']}", "/air", "/bonds", "/capture", "/log"]
    for width in (1280, 390):
        size(driver, width)
        for dark in (False, True):
            theme(driver, dark)
            for page in pages:
                driver.get(server.base + page)
                wait(lambda: len(text(driver, "#page")) > 40, f"{page} to fill")
                # A button between two colours has the contrast of neither.
                wait(lambda: driver.execute_script(
                    "return document.getAnimations().every((one) => one.effect.getTiming().iterations === Infinity)"),
                    "the end of transitions")
                found = Axe().run(driver)["violations"]
                assert not found, (page, width, dark, [(one["id"], one["nodes"][0]["html"][:200]) for one in found])
                wide = driver.execute_script("return document.documentElement.scrollWidth")
                assert wide <= width, (page, width, wide)
    size(driver, 1280)
    theme(driver, False)


# Elements that leave the viewport, texts that are cut without an ellipsis, and headings with a broken word. Parts that
# scroll may be wider.
CUT = """
const scrolls = (one) => { for (let at = one; at; at = at.parentElement) if (/auto|scroll/.test(getComputedStyle(at).overflowX)
    && at.id !== 'main' && at.id !== 'nav' && !at.matches('.list, .detail')) return true; };
const isShortened = (one) => getComputedStyle(one).textOverflow === 'ellipsis';
const isCut = (one) => { const { overflowX, textOverflow } = getComputedStyle(one);
    return /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' && one.scrollWidth > one.clientWidth + 1; };
return [...document.querySelectorAll('#app *')].filter((one) => one.checkVisibility() && !one.matches('.skip, svg *, input')
    && !scrolls(one) && !isShortened(one.parentElement)).filter((one) => { const { left, right, width } = one.getBoundingClientRect();
    return width > 1 && (right > innerWidth + 1 || left < -1 || (one.innerText ?? '').trim() && isCut(one)); })
    .concat([...document.querySelectorAll('#nav, #main')].filter((one) => one.scrollWidth > one.clientWidth))
    .concat([...document.querySelectorAll('#page :is(h1, h2, h3):not(:has(bdi))')].filter((one) => {
        one.style.overflowWrap = 'normal'; return one.checkVisibility() && one.scrollWidth > one.clientWidth + 1; }))
    .map((one) => one.outerHTML.slice(0, 160))"""


@test
def nothing_is_cut_off_at_200_percent(server, driver):
    tag = server.device("SensorTag")
    pages = ["/devices", "/devices?plot=nearest", f"/devices/{tag['id']}", "/devices/unknown", "/devices?q=zzz",
             "/sensortags", f"/sensortags/{tag['id']}", "/air", "/bonds", "/capture", "/log"]
    faults = []
    # A window of 1280 by 900 at 100 and at 200 percent, and phones.
    for width, height, scale in ((1280, 900, 1), (640, 450, 2), (390, 844, 2), (320, 640, 2)):
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        for page in pages:
            driver.get(server.base + page)
            wait(lambda: len(text(driver, "#page")) > 40, f"{page} to fill")
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            cut = driver.execute_script(CUT)
            if wide > width or cut:
                faults.append((page, width, wide, cut[:3]))
    size(driver, 1280)
    assert not faults, "\n".join(map(str, faults))


@test
def devices_of_one_name_are_told_apart(server, driver):
    added = [server.api("POST", "/air/devices", {"twin": "room-sensor"}) for _ in range(2)]
    far, near = [one["address"][-5:] for one in added]
    server.api("PATCH", f"/air/devices/{added[0]['id']}", {"distance": 60})
    driver.get(server.base + "/devices?q=room")
    for end in (far, near):
        see(driver, end, ".list")
    wait(lambda: server.api("GET", f"/devices/{added[0]['device']}")["rssi"] < -75, "the far one to be weak")
    driver.get(server.base + "/devices?plot=nearest")
    chosen = wait(lambda: text(driver, ".detail .picks button"), "the chosen devices")
    # The far one is the last, or not among the four that are shown.
    assert far not in chosen or chosen.index(near) < chosen.index(far), chosen
    for one in added:
        server.request("DELETE", f"/api/v1/air/devices/{one['id']}")


@test
def the_pages_work_with_the_keyboard(server, driver):
    driver.get(server.base + "/devices")
    see(driver, "Polar", ".list")
    for _ in range(60):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        if "Polar" in driver.execute_script("return document.activeElement.innerText"):
            break
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    see(driver, "Polar", ".detail h1")


@test
def eight_tabs_share_one_stream(server, driver):
    first = driver.current_window_handle
    for _ in range(7):
        driver.switch_to.new_window("tab")
        driver.get(server.base + "/devices")
        see(driver, "SensorTag", ".list")
    polar = server.device("Polar")["id"]
    server.api("PUT", f"/devices/{polar}/favourite", {"favourite": True})
    for handle in driver.window_handles:
        driver.switch_to.window(handle)
        # A browser opens six connections to one server: more streams would leave none for a request.
        wait(lambda: driver.find_elements(By.CSS_SELECTOR, ".list .rows .star"), "a star in the list")
        assert driver.execute_async_script("fetch('/api/v1/state').then((one) => arguments[0](one.status))") == 200
    server.api("PUT", f"/devices/{polar}/favourite", {"favourite": False})
    for handle in driver.window_handles:
        if handle != first:
            driver.switch_to.window(handle)
            driver.close()
    driver.switch_to.window(first)


@test
def two_browsers_share_a_link(server, driver):
    polar = server.device("Polar")
    other = browser()
    try:
        other.get(server.base + "/")
        other.find_element(By.ID, "secret").send_keys(server.token + Keys.ENTER)
        see(other, "SensorTag", ".list")
        for one in (driver, other):
            one.get(f"{server.base}/devices/{polar['id']}")
            see(one, "Polar", ".detail h1")
        connect(driver)
        for one in (driver, other):
            see(one, "Heart Rate Measurement")
        # Each browser is a user of the link, which stays up for the other one.
        status, _, _ = server.request("POST", f"/api/v1/devices/{polar['id']}/connect", {})
        assert status == 200, status
        press(driver, "Disconnect", ".detail button")
        see(other, "connected", ".detail .state")
        assert server.api("GET", f"/devices/{polar['id']}/connection")["state"] == "connected"
        server.api("POST", f"/devices/{polar['id']}/disconnect")
        see(other, "not connected", ".detail .state")
    finally:
        other.quit()


@test
def the_page_resumes_when_the_server_restarts(server, driver):
    driver.get(server.base + "/devices")
    see(driver, "SensorTag", ".list")
    server.kill()
    see(driver, "does not respond", "#banner")
    server.start()
    wait(lambda: "does not respond" not in text(driver, "#banner"), "the banner to go", 30)
    see(driver, "SensorTag", ".list")


@test
def logging_out_ends_the_session(server, driver):
    driver.get(server.base + "/devices")
    see(driver, "SensorTag", ".list")
    press(driver, "Log out", "#nav button")
    wait(lambda: driver.find_elements(By.ID, "secret"), "the login page")
    driver.get(server.base + "/devices")
    assert driver.find_elements(By.ID, "secret")


def main():
    server, driver, failed = Server(), browser(), 0
    chosen = [one for one in tests if not sys.argv[1:] or any(word in one.__name__ for word in sys.argv[1:])]
    if tests[0] not in chosen:
        chosen.insert(0, tests[0])
    try:
        for one in chosen:
            name = one.__name__.replace("_", " ")
            try:
                one(server, driver)
                faults = [entry["message"] for entry in driver.get_log("browser")
                          if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]
                          and "ERR_" not in entry["message"]]
                assert not faults, faults
                print(f"✔ {name}", flush=True)
            except Exception:
                failed += 1
                print(f"✘ {name}", flush=True)
                traceback.print_exc(limit=-3)
                driver.save_screenshot(f"{server.directory}/failed.png")
                print(text(driver)[:600])
    finally:
        driver.quit()
        server.stop()
    print(f"{len(chosen) - failed} of {len(chosen)} tests in the browser passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
