# SPDX-License-Identifier: GPL-2.0
"""Drives a headless Chromium through its DevTools protocol, over two pipes."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40, "Home": 36, "End": 35}


def program():
    """The browser's name, or None"""
    return next((p for p in ("chromium", "chromium-browser") if shutil.which(p)), None)


class Browser:
    def __init__(self, width, height):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.to = os.pipe()
        self.answers, answers = os.pipe()
        arguments = [program(), "--headless=new", "--disable-gpu", "--hide-scrollbars",
                     "--force-device-scale-factor=1", "--no-first-run", "--disable-extensions",
                     "--disable-background-networking", "--disable-dev-shm-usage",
                     "--user-data-dir=" + self.profile.name,
                     "--window-size=%d,%d" % (width, height), "--remote-debugging-pipe"]
        if not os.getuid():
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (commands, answers), "sh", *arguments],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.events = []
        self.pending = b""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(domain + ".enable")
        self.resize(width, height)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self, seconds=120):
        """=> the next message; a timeout is an error"""
        while b"\0" not in self.pending:
            if not select.select([self.answers], [], [], seconds)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("the browser ended")
            self.pending += more
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def open(self, path, fragment=""):
        """With a new fragment only, the page would not be loaded again"""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url="file://%s%s" % (os.path.abspath(path), fragment))
        self.until("document.readyState === 'complete' && !!window.page")
        self.frames()

    def until(self, expression, seconds=120):
        end = time.monotonic() + seconds
        while not self.js(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def frames(self):
        """Wait until all requested frames are drawn"""
        self.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame("
                "() => done(true))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        self.mouse("mouseMoved", x, y)
        for n in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=n)
            self.mouse("mouseReleased", x, y, button="left", clickCount=n)
        self.frames()

    def drag(self, x0, x1, y, modifiers=0):
        more = {"button": "left", "modifiers": modifiers}
        self.mouse("mouseMoved", x0, y, modifiers=modifiers)
        self.mouse("mousePressed", x0, y, buttons=1, clickCount=1, **more)
        for step in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * step / 5, y, buttons=1, **more)
        self.mouse("mouseReleased", x1, y, clickCount=1, **more)
        self.frames()

    def wheel(self, x, y, delta, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=modifiers)
        time.sleep(0.05)
        self.frames()

    def key(self, key, modifiers=0):
        """One key; a text key also types"""
        more = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = KEYS.get(key, 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers,
                  windowsVirtualKeyCode=code, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers,
                  windowsVirtualKeyCode=code)
        self.frames()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.frames()

    def requests(self):
        """=> the URLs that were loaded since open(), except for the page itself"""
        urls = [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("file:", "about:"))] + \
            [url for url in urls if url.startswith("file:")][1:]

    def complaints(self):
        """=> messages of the console: errors, violations of the policy"""
        texts = [e["params"]["exceptionDetails"]["exception"].get("description", "?")
                 for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        return texts + [e["params"]["entry"]["text"] for e in self.events
                        if e.get("method") == "Log.entryAdded" and
                        e["params"]["entry"]["level"] == "error"]

    def screenshot(self):
        """=> a PNG file"""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
