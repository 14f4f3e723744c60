"""A device: its link, values, and what is written."""
from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_tests import connect, enter_passkey, open_gadget, open_menu, open_strap, see, test
from served import LOCKED, press, size, text, wait


@test
def a_device_is_connected_read_and_subscribed_to(server, driver):
    open_strap(server, driver)
    press(driver, "Read Battery Level")
    see(driver, "%", "section[aria-label='Battery Level'] .value")
    press(driver, "Receive Heart Rate Measurement")
    wait(lambda: driver.find_elements(By.CSS_SELECTOR, "section[aria-label='Heart Rate Measurement'] figure"), "a plot")
    see(driver, "bpm", "section[aria-label='Heart Rate Measurement'] .huge")
    press(driver, "Stop", "section[aria-label='Heart Rate Measurement'] button")


@test
def values_are_read_on_connection_without_pairing(server, driver):
    locked = server.put(yaml=LOCKED)["device"]
    driver.get(f"{server.base}/devices/{locked}")
    press(driver, "Connect", ".detail button")
    see(driver, "Needs pairing", "section[aria-label='Battery Level']")
    assert not driver.find_elements(By.CSS_SELECTOR, "dialog[open]")
    link = server.api("GET", f"/devices/{locked}/connection")
    assert link["security"] == "none" and not link["bonded"], link
    press(driver, "Disconnect", ".detail button")
    see(driver, "not connected", ".detail .state")
    open_strap(server, driver)
    see(driver, "chest", "section[aria-label='Body Sensor Location'] .value")


@test
def bytes_are_written_and_previewed(server, driver):
    open_gadget(server, driver)
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


@test
def enter_in_the_name_of_a_preset_writes_nothing(server, driver):
    gadget = open_gadget(server, driver)["device"]
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


@test
def a_button_that_waits_stays_disabled_after_a_lost_link(server, driver):
    gadget = open_gadget(server, driver)
    # The answer to the read comes after the event of the lost link.
    driver.execute_script("""const send = fetch;
        globalThis.fetch = async (path, options) => { const answer = await send(path, options);
            if (path.endsWith('/read')) await new Promise((resolve) => { globalThis.answer = resolve; }); return answer; };""")
    press(driver, "Read FFF1")
    wait(lambda: driver.execute_script("return !!globalThis.answer"), "the answer to the read")
    server.api("POST", f"/air/devices/{gadget['id']}/cut")
    see(driver, "not connected", ".detail .state")
    driver.execute_async_script("globalThis.answer(); setTimeout(arguments[0], 100)")
    enabled = """return [...document.querySelectorAll('.char .do button:not(.turn), .sectionhead button')]
        .filter((one) => !one.disabled).map((one) => one.innerText)"""
    assert not driver.execute_script(enabled), driver.execute_script(enabled)


@test
def an_attempt_is_cancelled_without_an_error(server, driver):
    far = server.put(yaml="name: Far\n")
    server.api("PATCH", f"/air/devices/{far['id']}", {"faults": {"outOfRange": True}})
    driver.get(f"{server.base}/devices/{far['device']}")
    press(driver, "Connect", ".detail button")
    press(driver, "Cancel", ".detail button")
    see(driver, "not connected", ".detail .state")
    wait(lambda: driver.execute_script("return !document.querySelector('.detail [data-key=c]').disabled"), "the button")
    assert not driver.find_elements(By.CSS_SELECTOR, ".detail .problem"), text(driver, ".detail .problem")


@test
def a_lost_link_has_a_reason(server, driver):
    strap = open_strap(server, driver)
    server.api("POST", f"/air/devices/{strap['id']}/cut")
    see(driver, "not connected", ".detail .state")
    see(driver, "Connection lost", ".detail .problem")
    see(driver, "last known values", ".detail .sectionhead")
    enabled = "return document.querySelectorAll('.sectionhead button:not(:disabled)').length"
    assert driver.execute_script(enabled) == 0
    connect(driver, "Heart Rate Measurement")
    see(driver, "5 services", ".detail .sectionhead")


@test
def pairing_requests_the_passkey(server, driver):
    driver.get(f"{server.base}/devices/{server.put(yaml=LOCKED)['device']}")
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
def the_rssi_of_a_connected_device_is_updated(server, driver):
    strap = open_strap(server, driver)
    see(driver, "dBm", ".detail .strip")
    server.api("PATCH", f"/air/devices/{strap['id']}", {"distance": 30})
    wait(lambda: any(f"−{number} dBm" in text(driver, ".detail .strip") for number in range(70, 100)),
         "another strength")


@test
def a_device_that_was_never_connected_has_no_file(server, driver):
    driver.get(f"{server.base}/devices/{server.put(yaml='name: Unknown')['device']}")
    for action in ("Save as a device file", "Put a clone on the air"):
        open_menu(driver)
        press(driver, action, ".detail button")
        see(driver, "connect first", ".detail .problem")


@test
def a_bond_is_forgotten_on_the_page_of_its_device(server, driver):
    locked = server.put(yaml=LOCKED)["device"]
    driver.get(f"{server.base}/devices/{locked}")
    press(driver, "Connect", ".detail button")
    see(driver, "Needs pairing", "section[aria-label='Battery Level']")
    press(driver, "Read Battery Level")
    enter_passkey(driver)
    see(driver, "50", "section[aria-label='Battery Level'] .value")
    open_menu(driver)
    press(driver, "Forget the bond", ".detail button")
    see(driver, "Forget it on the device too", ".detail .note")
    assert server.api("GET", "/bonds")["bonds"] == []
    see(driver, "not connected", ".detail .state")


@test
def the_numbers_of_a_device_are_saved(server, driver):
    strap = open_strap(server, driver)
    press(driver, "Receive Heart Rate Measurement")
    see(driver, "bpm", "section[aria-label='Heart Rate Measurement'] .huge")
    saved = """const make = URL.createObjectURL; URL.createObjectURL = (blob) => { globalThis.saved = blob.text(); return make(blob); }"""
    driver.execute_script(saved)
    open_menu(driver)
    press(driver, "Save its numbers as CSV", ".detail button")
    lines = driver.execute_async_script("globalThis.saved.then(arguments[0])").splitlines()
    assert lines[0] == "time,value,number,unit" and any('"Heart rate"' in one for one in lines), (strap, lines[:5])


# Controls of the device's page that ask the server or the device, as [[label, whether it is disabled, reason], ...].
ASKING = """const local = /^(Copy|Format|More|10 s|1 min|10 min|All|Pause|Go on|CSV|Save its numbers|Packets)/;
return [...document.querySelectorAll('.detail :is(button, select, input)')].filter((one) => one.checkVisibility())
    .map((one) => [one.ariaLabel || one.innerText || one.closest('label')?.innerText, one.disabled, one.title])
    .filter(([name]) => !local.test(name))"""


def blocked(driver, reason, enabled=()):
    """Waits until what asks is disabled for the reason, but for the enabled ones."""
    def rest():
        return [one for one in driver.execute_script(ASKING)
                if one[0] not in enabled and not (one[1] and reason in one[2])]
    try:
        wait(lambda: not rest(), "the reasons", 10)
    except AssertionError:
        raise AssertionError(rest()) from None
    found = Axe().run(driver)["violations"]
    assert not found, [(one["id"], one["nodes"][0]["html"][:200]) for one in found]


@test
def what_cannot_work_is_disabled_and_says_why(server, driver):
    gadget = open_gadget(server, driver)
    press(driver, "More about FFF1", ".char button")
    open_menu(driver)
    names = [name for name, is_disabled, _ in driver.execute_script(ASKING) if not is_disabled]
    for name in ("Read FFF1", "Write FFF1", "Read all", "Disconnect", "Favourite", "Name it …"):
        assert name in names, names
    # A link that was lost: what needs none goes on.
    server.api("POST", f"/air/devices/{gadget['id']}/cut")
    see(driver, "connect to go on", ".detail .sectionhead")
    needless = {
        "Connect", "Favourite", "Name it …", "Save as a device file", "Put a clone on the air", "Reconnect a lost link"}
    blocked(driver, "Connect the device first", needless)
    connect(driver, "FFF1")
    wait(lambda: ["Read FFF1", False, ""] in driver.execute_script(ASKING), "the buttons of the values")
    # A server that is silent, and then comes back.
    driver.get(f"{server.base}/devices/{server.device('CC2650')['id']}")
    connect(driver, "Battery")
    open_menu(driver)
    server.kill()
    blocked(driver, "The server does not respond")
    server.start()
    wait(lambda: any(one[:2] == ["Connect", False] for one in driver.execute_script(ASKING)), "the new server", 30)


@test
def without_a_radio_and_without_a_connectable_device_connect_says_why(server, driver):
    def why():
        return driver.execute_script("""const one = document.querySelector('.detail [data-key=c]');
            return [one?.disabled, one?.title]""")

    driver.get(f"{server.base}/devices/{server.put(twin='ibeacon')['device']}")
    see(driver, "only advertises", ".detail .note")
    assert why() == [True, "The device only advertises."], why()
    # The colour at the end of the transition.
    colour = """const one = document.querySelector('.detail [data-key=c]'), done = arguments[0];
        Promise.all(one.getAnimations().map((each) => each.finished))
            .then(() => done(getComputedStyle(one).backgroundColor))"""
    disabled = driver.execute_async_script(colour)
    driver.get(f"{server.base}/devices/{server.device('CC2650')['id']}")
    wait(lambda: why() == [False, ""], "the button")
    assert driver.execute_async_script(colour) != disabled, disabled
    driver.execute_async_script("""const done = arguments[0], script = document.querySelector('script[src*=app]');
        import(script.src.replace('app.js', 'store.js')).then(({ setState, store }) => {
            setState({ ...store.state, radio: { state: 'poweredOff' } }); done(); })""")
    assert why() == [True, "Bluetooth is off."], why()
