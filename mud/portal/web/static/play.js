const token = document.querySelector('meta[name="token"]').content;
const story = document.getElementById("story");
const input = document.getElementById("input");
const page = crypto.randomUUID().slice(0, 8);
let number = 0;
const socket = new WebSocket(`ws://${location.host}/socket?token=${token}`);
socket.addEventListener("message", ({ data }) => {
  for (const piece of JSON.parse(data).story ?? []) {
    const line = document.createElement("p");
    line.className = piece.kind;
    line.textContent = piece.text;
    story.append(line);
  }
});
document.getElementById("line").addEventListener("submit", (event) => {
  event.preventDefault();
  socket.send(JSON.stringify({ line: input.value, page, number: ++number }));
  input.value = "";
});
