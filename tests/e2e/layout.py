"""Layout checks: elements that stick out of the page, and buttons that are cut off."""

from playwright.sync_api import Page

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))"
"""After a change of width, React renders in the first frame and the layout happens in the second."""
MISFITS = """() => {
  const words = (element) => `${element.tagName.toLowerCase()} "${element.textContent.trim().slice(0, 40)}"`;
  const scrolls = (element) => element !== null && (
    ["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const shown = [...document.querySelectorAll("button, a.button, input, select, h1, header.bar > *")]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1);
  const out = shown.filter((element) => !scrolls(element) && element.getBoundingClientRect().right > innerWidth + 1);
  const cut = shown.filter((element) => element.matches("button, a.button") && !element.querySelector(".clipped")
    && element.scrollWidth > element.clientWidth + 2);
  const bar = document.querySelector("header.bar");
  const box = bar === null ? { width: 0, height: 0 } : bar.getBoundingClientRect();
  const tall = Math.min(box.width, box.height) > 68;
  const root = document.documentElement;
  return [
    ...(root.scrollWidth > innerWidth ? [`the page is ${root.scrollWidth} wide in ${innerWidth}`] : []),
    ...(tall ? ["the header takes more than one row or column"] : []),
    ...out.map((element) => `${words(element)} sticks out`),
    ...cut.map((element) => `${words(element)} is cut off`),
  ];
}"""


def misfits(page: Page) -> list[str]:
    """Return elements that don't fit on a phone, then in a window; the page stays wide."""
    found = []
    for size in (NARROW, WIDE):
        page.set_viewport_size({"width": size["width"], "height": size["height"]})
        page.evaluate(TWO_FRAMES)
        found += [f"{size['width']}: {each}" for each in page.evaluate(MISFITS)]
    return found
