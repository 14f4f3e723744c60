"""What holds for every page: accessibility, and room at every size."""
from axe_core_python.selenium import Axe

from page_tests import open_gadget, open_menu, see, test
from served import LOCKED, press, size, text, theme, wait


@test
def every_page_is_accessible(server, driver):
    locked = server.put(yaml=LOCKED)["device"]
    tag = server.device("CC2650")
    server.api("POST", f"/sensortags/{tag['id']}/connect")
    pages = ["/devices", "/devices?plot=nearest", f"/devices/{locked}", "/sensortags",
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
    assert not faults, "\n".join(map(str, faults))


# What a finger has to hit is at least 24 px wide and high.
SMALL = """return [...document.querySelectorAll('#app :is(a, button, summary, input, select, label:has(input))')]
    .filter((one) => one.checkVisibility() && !one.matches('.skip, label input')).filter((one) => {
        const { width, height } = one.getBoundingClientRect(); return width && height && (width < 24 || height < 24); })
    .map((one) => one.outerHTML.slice(0, 160))"""


@test
def fingers_hit_what_they_mean(server, driver):
    gadget, tag = open_gadget(server, driver), server.device("CC2650")["id"]
    press(driver, "Write FFF1")
    press(driver, "Read FFF1")
    press(driver, "More about FFF1")
    server.api("POST", f"/sensortags/{tag}/connect")
    size(driver, 320)
    see(driver, "Write", ".detail .write")
    # What is open in the row is not cut off either.
    faults = [driver.execute_script(script) for script in (SMALL, CUT)]
    open_menu(driver)
    press(driver, "Parameters and PHY …", ".detail button")
    faults.append(driver.execute_script(SMALL.replace("#app", "dialog[open]")))
    wide = driver.execute_script("""const one = document.querySelector('dialog[open]');
        return one.scrollWidth - one.clientWidth""")
    assert wide <= 0, f"the dialog is {wide} px too narrow"
    for page in ("/devices", f"/devices/{gadget['device']}", f"/sensortags/{tag}", "/air", "/log", "/bonds", "/capture"):
        driver.get(server.base + page)
        wait(lambda: len(text(driver, "#page")) > 40, f"{page} to fill")
        faults.append(driver.execute_script(SMALL))
    press(driver, "More", "#nav button")
    faults.append(driver.execute_script(SMALL.replace("#app", "dialog")))
    assert not any(faults), "\n".join(one for some in faults for one in some[:3])
