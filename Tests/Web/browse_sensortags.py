"""SensorTags, and the devices beside them."""
from selenium.webdriver.common.by import By

from page_tests import connect, see, test
from served import press, text, wait


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
    server.put(yaml="name: Plain\n")
    server.put(twin="home-bthome")
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
def nine_axes_in_one_value_have_names_and_a_position(server, driver):
    tag = server.device("CC2650")["id"]
    driver.get(f"{server.base}/sensortags/{tag}")
    press(driver, "Connect")
    press(driver, "All on")
    movement = "section[aria-label=movement]"
    for name in ("Acceleration", "Rotation", "Magnetic field"):
        see(driver, name, movement + " .group")
    wait(lambda: text(driver, movement + " .label").splitlines() == ["x", "y", "z"] * 3, "the axes")
    see(driver, "Position", ".tiles")


@test
def the_page_of_a_tag_leads_to_its_sensors(server, driver):
    tag = server.device("CC2650")["id"]
    driver.get(f"{server.base}/devices/{tag}")
    connect(driver, "Services")
    press(driver, "Sensors", ".detail .sectionhead a")
    press(driver, "Show the sensors")
    see(driver, "Temperature", ".tiles")
