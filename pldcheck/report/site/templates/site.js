// The search box: pages and names that contain every word, titles before summaries. The index is loaded when it is first needed.
(() => {
  const root = document.body.dataset.root;
  const box = document.querySelector(".search input");
  const list = document.querySelector(".search ol");
  const MOST = 12;
  let loading = null;

  function load() {
    loading ||= new Promise((done) => {
      const script = document.createElement("script");
      script.src = root + "search-index.js";
      script.onload = done;
      document.head.append(script);
    });
    return loading;
  }

  function score([title, , kind, summary], words) {
    const name = title.toLowerCase(), last = name.slice(name.lastIndexOf(".") + 1);
    const rest = summary.toLowerCase();
    let total = { page: 4, theorem: 4, protocol: 4, method: 3, module: 1 }[kind] || 0;
    for (const word of words) {
      if (last === word || name === word) total += 12;
      else if (last.startsWith(word)) total += 8;
      else if (name.includes(word)) total += 5;
      else if (rest.includes(word)) total += 2;
      else return 0;
    }
    return total;
  }

  async function show() {
    await load();
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = words.length ? window.SITE_INDEX.map((entry) => [score(entry, words), entry]) : [];
    const best = hits.filter(([total]) => total).sort((a, b) => b[0] - a[0]).slice(0, MOST);
    list.replaceChildren(...best.map(([, [title, address, kind, summary]]) => {
      const item = document.createElement("li"), link = document.createElement("a");
      const name = document.createElement("b"), label = document.createElement("i"), text = document.createElement("span");
      link.href = root + address;
      name.textContent = title.replace(/^pldcheck\./, "");
      label.textContent = kind;
      text.textContent = summary;
      link.append(name, label, text);
      item.append(link);
      return item;
    }));
    if (words.length && !best.length) {
      const item = document.createElement("li");
      item.textContent = "Nothing has all of these words.";
      list.append(item);
    }
    list.hidden = !words.length;
  }

  box.addEventListener("focus", load, { once: true });
  box.addEventListener("input", show);
  box.addEventListener("keydown", (event) => {
    const first = list.querySelector("a");
    if (event.key === "Enter" && first) first.click();
    if (event.key === "ArrowDown" && first) { event.preventDefault(); first.focus(); }
    if (event.key === "Escape") { list.hidden = true; box.blur(); }
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = document.activeElement.parentElement[step];
    (next ? next.firstElementChild : box).focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); box.focus(); }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) list.hidden = true; });
})();
