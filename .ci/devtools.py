"""A headless browser, driven by the DevTools protocol over its pipe. Python's standard library suffices."""

import json
import os
import subprocess


class Browser:
    """One page of a headless browser.

    The browser reads commands from its descriptor 3 and writes answers and events to descriptor 4, each ended by a
    zero byte. Messages of the console, exceptions and requests are collected.
    """

    def __init__(self, program, profile, width=1280, height=900):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        os.set_inheritable(commands, True)
        os.set_inheritable(answers, True)

        def move():
            # Both numbers may already be in use, so they are moved out of the way first.
            first, second = os.dup(commands), os.dup(answers)
            high = [os.dup(first), os.dup(second)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--force-renderer-accessibility",
            f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank",
        ]
        self.process = subprocess.Popen(
            arguments, preexec_fn=move, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.buffer = b""
        self.number = 0
        self.problems, self.requests = [], []
        self.loaded = False
        target = next(t for t in self.call("Target.getTargets", session=False)["targetInfos"] if t["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility", "DOM"]:
            self.call(f"{domain}.enable")

    def call(self, method, parameters=None, session=True):
        """Sends a command and returns its result; notes the events that come before it."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session and getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.problems.append("log: " + parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(f"console: {parameters['args']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"][:200])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def resize(self, width, height, isPhone=False):
        """Changes the size of the page, and whether it is on a phone."""
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": isPhone})

    def open(self, path, scheme="light", fragment=""):
        """Opens a file and waits until it is loaded, which includes its script; "forced" is a scheme of colours too."""
        self.problems, self.requests, self.loaded = [], [], False
        feature = {"name": "forced-colors", "value": "active"} if scheme == "forced" else {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", {"features": [feature]})
        # Another fragment alone would not load the page again.
        self.call("Page.navigate", {"url": "about:blank"})
        while not self.loaded:
            self.receive()
        self.requests, self.loaded = [], False
        self.call("Page.navigate", {"url": "file://" + os.path.abspath(path) + fragment})
        while not self.loaded:
            self.receive()

    def ask(self, script):
        """Evaluates an expression in the page; a promise is awaited."""
        result = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, key, modifiers=0):
        """Types a key."""
        codes = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Home": 36, "End": 35, "PageDown": 34,
                 "PageUp": 33, "Tab": 9, "Escape": 27, "Backspace": 8}
        code = codes.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        text = "\r" if key == "Enter" else key if len(key) == 1 else None
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", **common, **({"text": text} if text else {})})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **common})

    def click(self, selector):
        """Clicks with the mouse at the middle of an element."""
        # The page has scrolled at once where its script asked for it, but a click is placed by what is painted.
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        box = self.ask(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                       " return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", {"type": kind, "x": box[0], "y": box[1], "button": "left", "clickCount": 1})

    def accessibility(self):
        """Returns the nodes of the accessibility tree that are not ignored, as (role, name, properties)."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""),
             {p["name"]: p["value"].get("value") for p in node.get("properties", [])})
            for node in nodes if not node.get("ignored")
        ]

    def screenshot(self, path):
        """Writes a picture of the page."""
        import base64
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def end(self):
        """Ends the browser."""
        os.write(self.commands, b'{"id": 0, "method": "Browser.close"}\0')
        # The pipe closes when every process of the browser has ended.
        while os.read(self.answers, 1 << 20):
            pass
        self.process.wait()
