/* Search in pages that were opened as files. Browsers start no worker for them, so its script runs in a hidden frame. */
if (location.protocol === "file:") {
  const load = (inner, url) => new Promise((done, failed) => {
    const script = inner.document.createElement("script");
    script.src = url;
    script.onload = done;
    script.onerror = failed;
    inner.document.body.appendChild(script);
  });

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      inner.document.open();
      inner.document.write("<!doctype html><body></body>");
      inner.document.close();
      inner.postMessage = data => setTimeout(() => {
        const told = new MessageEvent("message", { data });
        this.dispatchEvent(told);
        if (this.onmessage) this.onmessage(told);
      });
      inner.importScripts = (...urls) => urls.reduce((before, next) => before.then(() => load(inner, next)), Promise.resolve());
      this.ready = load(inner, new URL(url, location).href);
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() { this.frame.remove(); }
  };
}
