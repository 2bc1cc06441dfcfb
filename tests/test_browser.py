"""A person with a browser: opens the form, changes a field, sends it and
reads the answer, with script and without. Headless Chromium is driven through
its driver's HTTP interface (WebDriver)."""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
B = os.environ.get("B", "build")
passed = failed = 0


def check(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(address, process):
    for _ in range(300):
        try:
            urllib.request.urlopen(address, timeout=2).read()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise SystemExit("no answer from " + address)


class Browser:
    def __init__(self, driver, script):
        self.driver = driver
        self.profile = tempfile.mkdtemp(prefix="gputco-browser-")
        options = {"args": [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync",
            "--window-size=1280,1600", "--user-data-dir=" + self.profile]}
        if not script:
            options["prefs"] = {
                "profile.managed_default_content_settings.javascript": 2}
        self.session = self.call("POST", "/session", {"capabilities": {
            "alwaysMatch": {"browserName": "chrome",
                            "goog:chromeOptions": options}}})["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.driver + path, data, {"Content-Type": "application/json"},
            method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())["value"]

    def do(self, method, path, body=None):
        return self.call(method, "/session/" + self.session + path, body)

    def go(self, address):
        self.do("POST", "/url", {"url": address})

    def find(self, css):
        found = self.do("POST", "/element",
                        {"using": "css selector", "value": css})
        return list(found.values())[0]

    def text(self, css):
        return self.do("GET", "/element/%s/text" % self.find(css))

    def type(self, css, text):
        element = self.find(css)
        self.do("POST", "/element/%s/clear" % element, {})
        self.do("POST", "/element/%s/value" % element, {"text": text})

    def click(self, css):
        self.do("POST", "/element/%s/click" % self.find(css), {})

    def address(self):
        return self.do("GET", "/url")

    def picture(self, name):
        folder = os.path.join(ROOT, B, "test-logs")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as f:
            f.write(base64.b64decode(self.do("GET", "/screenshot")))

    def close(self):
        self.do("DELETE", "")
        shutil.rmtree(self.profile, ignore_errors=True)


def visit(browser, site, name):
    browser.go(site + "/")
    check("gputco" in browser.do("GET", "/title"), name + ": title")
    browser.picture(name + "-start.png")
    browser.type("[name=busy_frac]", "0.02")
    browser.click("form button[type=submit], form button:not([type])")
    for _ in range(50):
        if "/compare" in browser.address():
            break
        time.sleep(0.1)
    check("busy_frac=0.02" in browser.address(),
          name + ": the address holds what was typed: " + browser.address())
    sentence = browser.text("h1")
    check("rent" in sentence.lower(), name + ": at 2 % renting wins: " + sentence)
    check("USD" in browser.text("#answer"), name + ": money in the answer")
    browser.picture(name + "-answer.png")
    browser.go(site + "/compare?busy_frac=abc")
    check(browser.do("GET", "/title").startswith("Error: "),
          name + ": a mistake shows in the title")
    check("must be a number" in browser.text("main"),
          name + ": and in words")
    field = browser.find("[name=busy_frac]")
    check(browser.do("GET", "/element/%s/property/value" % field) == "abc",
          name + ": what was typed is kept")
    browser.picture(name + "-error.png")


def main():
    driver_program = shutil.which("chromedriver")
    if not driver_program or not shutil.which("chromium"):
        print("skipped: no Chromium with its driver here")
        print("0 passed, 0 failed")
        return 0
    folder = tempfile.mkdtemp(prefix="gputco-browser-run-")
    port, driver_port = free_port(), free_port()
    env = dict(os.environ, PORT=str(port), RUN=folder, B=B,
               GPUTCO_TODAY="2026-12-01")
    log = open(os.path.join(folder, "log"), "wb")
    service = subprocess.Popen(["sh", "deploy/run.sh"], cwd=ROOT, env=env,
                               stdout=log, stderr=log)
    driver = subprocess.Popen([driver_program, "--port=%d" % driver_port],
                              stdout=log, stderr=log)
    try:
        site = "http://127.0.0.1:%d" % port
        wait_for(site + "/healthz", service)
        address = "http://127.0.0.1:%d" % driver_port
        wait_for(address + "/status", driver)
        for script, name in ((True, "with-script"), (False, "without-script")):
            browser = Browser(address, script)
            visit(browser, site, name)
            browser.close()
    finally:
        driver.terminate()
        driver.wait(10)
        service.send_signal(signal.SIGTERM)
        service.wait(20)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
