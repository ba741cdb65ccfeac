// A browser starts no worker for a page opened from disk, and the site's search is one: a hidden frame does its work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      // What a worker's script expects to find around it.
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...addresses) => Promise.all(addresses.map((other) => load(inside, other)));
      this.loaded = load(inside, address);
      this.inside = inside;
    }

    async postMessage(data) {
      await this.loaded;
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };

  function load(inside, address) {
    return new Promise((resolve, reject) => {
      const script = inside.document.createElement("script");
      script.src = new URL(address, location).href;
      script.onload = resolve;
      script.onerror = reject;
      inside.document.body.append(script);
    });
  }
}
