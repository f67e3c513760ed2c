extension Vectors {
  static let scalars: [Specimen] = [
    value("null", nil, "A stored null differs from an absent key."),
    value("bool-false", false, "False."),
    value("bool-true", true, "True."),
    value("data-empty", .data([], base64: ""), "No bytes."),
    value("data-one-byte", .data([0], base64: "AA=="), "One byte: base64 ends with two padding characters."),
    value(
      "data-three-bytes", .data([0xfb, 0xff, 0xbf], base64: "+/+/"),
      "Base64 without padding, with both characters that other alphabets replace."),
    value("data-all-bytes", .data(Array(0...255), base64: allBytes), "Every byte once; the length takes two bytes."),
    value("uuid", .uuid("00112233-4455-6677-8899-aabbccddeeff"), "The bytes of a UUID in printed order."),
    value("uuid-nil", .uuid("00000000-0000-0000-0000-000000000000"), "A UUID of zeros keeps its 16 bytes."),
    value("url", .url("https://example.org/a%20b?q=1#top"), "The text of a URL, unchanged."),
    value("url-relative", .url("x"), "A URL need not be absolute."),
    value("reference", .reference(["root"]), "A reference of one component; it need not lead to a node."),
    value(
      "reference-of-three", .reference(["root", "a/b", "c~d"]), "Components are stored as they are, without the escapes of the text form."),
    .vector(
      "reference-to-a-node",
      Draft(application: ["front": .reference(["root", "list"])], nodes: [DraftNode("root", children: [DraftNode("list")])]),
      "A reference that leads to a node."),
  ]

  private static let allBytes =
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVW"
    + "V1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6yt"
    + "rq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w=="
}
