// Begins: unpacks the script that shows the replay. The page's policy lets it run, and no other, by its hash.

import { unpack } from "./unpack.js";

unpack(document.getElementById("viewer")?.textContent ?? "")
  .then((bytes) => {
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(bytes);
    document.body.append(script);
  })
  .catch((fault) => {
    const notice = document.getElementById("notice");
    if (!notice) return;
    notice.hidden = false;
    notice.textContent = `The replay cannot be shown: ${fault instanceof Error ? fault.message : fault}`;
  });
