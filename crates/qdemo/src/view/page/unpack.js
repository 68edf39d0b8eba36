// What the page holds packed: the replay, and the script that shows it.

/** Unpacks a text of the page.
 * @param {string} text Seven bits a character. @returns {Promise<Uint8Array>} */
export async function unpack(text) {
  const packed = new Uint8Array(Math.floor((text.length * 7) / 8));
  let [bits, count] = [0, 0];
  for (let n = 0, at = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    bits |= (code < 128 ? code : code - 192) << count;
    count += 7;
    if (count < 8) continue;
    packed[at++] = bits;
    bits >>= 8;
    count -= 8;
  }
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
