"""The laboratory."""
import os
import pathlib
import subprocess

from selenium.webdriver.common.by import By

from page_tests import connect, open_menu, open_strap, see, test
from served import Server, press, text, wait


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

    open_strap(server, driver)
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


@test
def what_was_done_on_the_air_runs_as_a_script(server, driver):
    driver.get(server.base + "/air")
    strap = "[aria-label='New device'] option[value=polar-h7]"
    wait(lambda: driver.find_elements(By.CSS_SELECTOR, strap), "the built-in devices")[0].click()
    press(driver, "Put on the air")
    see(driver, "Polar", "#page h2")
    strap = server.device("Polar")["id"]
    name = "Polar H7 4C1A2B"
    distance = driver.find_element(By.CSS_SELECTOR, f"[aria-label='Distance of {name} in metres']")
    driver.execute_script("arguments[0].value = 7; arguments[0].dispatchEvent(new Event('change'))", distance)
    wait(lambda: server.api("GET", "/air")["devices"][-1]["distance"] == 7, "the distance")
    press(driver, "Walks", f"section[aria-label='{name}'] button")
    wait(lambda: server.api("GET", "/air")["devices"][-1]["walking"], "the walk")
    driver.get(f"{server.base}/devices/{strap}")
    connect(driver, "Heart Rate Measurement")
    press(driver, "Read Battery Level")
    see(driver, "%", "section[aria-label='Battery Level'] .value")
    driver.get(server.base + "/log")
    see(driver, "Script for harald run")
    script = server.request("GET", "/api/v1/script")[2].decode()
    path = pathlib.Path(server.directory, "script.yaml")
    path.write_text(script)
    run = subprocess.run([server.binary, "run", str(path), "--json"], capture_output=True, text=True, timeout=120,
                         env={**os.environ, "XDG_RUNTIME_DIR": server.directory, "XDG_DATA_HOME": server.directory})
    assert run.returncode == 0, f"{run.stderr}\n{run.stdout}\n{script}"
    for words in ("device: polar-h7", " 7.0\"", "walk ", "read: "):
        assert words in script, script


@test
def a_scan_response_is_apart_over_a_socket(server, driver):
    path = pathlib.Path(server.directory, "air")
    air = subprocess.Popen([server.binary, "air", "--listen", f"unix:{path}", "--no-user-socket", "--json"],
                           stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": server.directory})
    try:
        assert "offered" in air.stdout.readline()
        other = Server(f"unix:{path}")
        try:
            strap = other.device("Polar")["id"]
            history = wait(lambda: len(one := other.api("GET", f"/devices/{strap}")["history"]) > 20 and one, "packets")
            sizes = {part: {len(one["hex"]) // 2 for one in history if one["part"] == part}
                     for part in ("advertisement", "scanResponse")}
            assert sizes["advertisement"] == {27} and sizes["scanResponse"] == {8}, sizes
            device = other.api("GET", f"/devices/{strap}")
            assert device["interval"] < 0.15 and not device["merged"], device
            driver.get(other.url)
            driver.get(f"{other.base}/devices/{strap}")
            see(driver, "27 bytes", ".detail")
            see(driver, "8 bytes", ".detail")
        finally:
            other.stop()
    finally:
        air.terminate()
        air.wait(timeout=10)


@test
def a_device_has_its_alias_on_the_air(server, driver):
    gadget = server.put(twin="vendor-fff0")["device"]
    server.api("PUT", f"/devices/{gadget}/alias", {"alias": "Desk lamp"})
    driver.get(server.base + "/air")
    see(driver, "Desk lamp", "#page h2")
