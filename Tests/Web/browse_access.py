"""Who may use the pages, and what several viewers see."""
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_tests import connect, open_strap, see, test
from served import Server, browser, press, text, wait


@test(logs_in=False)
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


@test
def eight_tabs_share_one_stream(server, driver):
    first = driver.current_window_handle
    for _ in range(7):
        driver.switch_to.new_window("tab")
        driver.get(server.base + "/devices")
        see(driver, "SensorTag", ".list")
    polar = server.put(twin="polar-h7")["device"]
    server.api("PUT", f"/devices/{polar}/favourite", {"favourite": True})
    for handle in driver.window_handles:
        driver.switch_to.window(handle)
        # A browser opens six connections to one server: more streams would leave none for a request.
        wait(lambda: driver.find_elements(By.CSS_SELECTOR, ".list .rows .star"), "a star in the list")
        assert driver.execute_async_script("fetch('/api/v1/state').then((one) => arguments[0](one.status))") == 200
    for handle in driver.window_handles:
        if handle != first:
            driver.switch_to.window(handle)
            driver.close()
    driver.switch_to.window(first)


@test
def two_browsers_share_a_link(server, driver):
    polar = server.put(twin="polar-h7")["device"]
    other = browser()
    try:
        other.get(server.base + "/")
        other.find_element(By.ID, "secret").send_keys(server.token + Keys.ENTER)
        see(other, "SensorTag", ".list")
        for one in (driver, other):
            one.get(f"{server.base}/devices/{polar}")
            see(one, "Polar", ".detail h1")
        connect(driver, "Heart Rate Measurement")
        for one in (driver, other):
            see(one, "Heart Rate Measurement")
        # Each browser is a user of the link, which stays up for the other one.
        status, _, _ = server.request("POST", f"/api/v1/devices/{polar}/connect", {})
        assert status == 200, status
        press(driver, "Disconnect", ".detail button")
        see(other, "connected", ".detail .state")
        assert server.api("GET", f"/devices/{polar}/connection")["state"] == "connected"
        server.api("POST", f"/devices/{polar}/disconnect")
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


@test
def who_leaves_a_shared_link_learns_that_it_stays(server, driver):
    strap = open_strap(server, driver)
    server.api("POST", f"/devices/{strap['device']}/connect", {})
    press(driver, "Disconnect", ".detail button")
    see(driver, "The link stays: 1 other viewer", ".detail .note")


@test
def a_device_page_resumes_when_the_server_restarts(server, driver):
    tag = server.device("CC2650")["id"]
    server.api("PUT", f"/devices/{tag}/favourite", {"favourite": True})
    server.api("PUT", f"/devices/{tag}/alias", {"alias": "Kitchen"})
    driver.get(f"{server.base}/devices/{tag}")
    connect(driver, "Battery")
    server.kill()
    see(driver, "does not respond", "#banner")
    server.start()
    see(driver, "not connected", ".detail .state", 30)
    # What the user gave the device is still there.
    see(driver, "Kitchen", ".detail h1")
    see(driver, "Kitchen", ".list .star")
    connect(driver, "Battery")


@test
def a_stream_without_a_sign_of_life_is_lost(server, driver):
    states = driver.execute_async_script("""const done = arguments[0];
        const style = document.querySelector('link[href*=style]');
        import(style.href.replace('style.css', 'reader.js')).then(({ EventReader }) => {
            // The server has answered, and then its network is gone.
            globalThis.fetch = async (path, { signal }) => new Response(new ReadableStream({
                start(stream) { signal.addEventListener('abort', () => stream.error(signal.reason)); } }));
            const states = [];
            setTimeout(() => done(states), 10000);
            const reader = new EventReader('viewer', ({ state }) => {
                states.push(state);
                if (state === 'lost') { reader.stop(); done(states); }
            }, 100);
            reader.start(); })""")
    assert states == ["live", "lost"], states
