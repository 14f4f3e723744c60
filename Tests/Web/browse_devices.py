"""The list of devices, the search, the keys, and the plot of several devices."""
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_tests import open_strap, see, test
from served import HOSTILE, press, text, wait


@test
def markup_in_a_name_is_shown_as_text(server, driver):
    hostile = server.put(yaml=HOSTILE)["device"]
    driver.get(server.base + "/devices")
    see(driver, "<img src=x onerror", ".list")
    driver.get(f"{server.base}/devices/{hostile}")
    see(driver, "<img src=x onerror", ".detail h1")
    assert not driver.find_elements(By.CSS_SELECTOR, "main img")


@test
def the_search_has_the_language_of_explore_and_is_in_the_url(server, driver):
    server.put(twin="polar-h7")
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
def kinds_are_searched(server, driver):
    server.put(twin="polar-h7")
    driver.get(server.base + "/devices?q=kind:heart")
    see(driver, "1 of", ".list .count")
    see(driver, "Polar", ".list .rows")


@test
def devices_of_one_name_are_told_apart(server, driver):
    added = [server.put(twin="room-sensor") for _ in range(2)]
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


@test
def a_device_gets_a_name(server, driver):
    gadget = server.put(twin="vendor-fff0")["device"]
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
    for twin in ("polar-h7", "vendor-fff0"):
        server.put(twin=twin)
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
def the_pages_work_with_the_keyboard(server, driver):
    server.put(twin="polar-h7")
    driver.get(server.base + "/devices")
    see(driver, "Polar", ".list")
    for _ in range(60):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        if "Polar" in driver.execute_script("return document.activeElement.innerText"):
            break
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    see(driver, "Polar", ".detail h1")


@test
def numbers_of_several_devices_share_a_plot(server, driver):
    server.put(twin="home-bthome")
    open_strap(server, driver)
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
    see(driver, "The scale is that of the first line", ".detail .legend")
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
def a_beacon_is_found_by_its_uuid_and_a_device_by_its_address(server, driver):
    beacon, tag = server.put(twin="ibeacon"), server.device("CC2650")
    for words, title in (("5a4bcfce-174e-4bac-a814-092e77f6b7e5", "iBeacon"), (tag["address"][-5:], "CC2650")):
        driver.get(f"{server.base}/devices?q={words}")
        see(driver, "1 of", ".list .count")
        see(driver, title, ".list .rows")
    assert beacon["device"]
