"""Bonds, captures and the log."""
from selenium.webdriver.common.by import By

from page_tests import enter_passkey, open_menu, open_strap, see, test
from served import LOCKED, press, text


@test
def bonds_are_listed_and_deleted(server, driver):
    locked = server.put(yaml=LOCKED)["device"]
    driver.get(f"{server.base}/devices/{locked}")
    press(driver, "Connect", ".detail button")
    press(driver, "Pair", ".detail button")
    enter_passkey(driver)
    driver.get(server.base + "/bonds")
    see(driver, "Locked Lamp")
    press(driver, "Forget all")
    press(driver, "Keep them")
    press(driver, "Forget Locked Lamp")
    see(driver, "No bond")
    assert server.api("GET", "/bonds")["bonds"] == []
    # Deleting the bond ended the link. The next pairing is a new one, at the selected level.
    driver.get(f"{server.base}/devices/{locked}")
    press(driver, "Connect", ".detail button")
    see(driver, "connected", ".detail .state")
    open_menu(driver)
    driver.find_element(By.CSS_SELECTOR, ".detail select option[value=authenticated]").click()
    press(driver, "Pair", ".detail button")
    enter_passkey(driver)
    bond = server.api("GET", "/bonds")["bonds"][0]
    assert bond["security"] in ("authenticated", "secureConnections"), bond


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
    open_strap(server, driver)
    press(driver, "Read Battery Level")
    driver.get(server.base + "/log")
    see(driver, "connection")
    driver.get(server.base + "/log?kind=read")
    see(driver, "Battery Level")
    assert "connection" not in text(driver, ".logline")
