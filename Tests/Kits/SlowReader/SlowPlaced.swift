/// A table entry with its offset in the file.
struct SlowPlaced<Content> {
  let offset: Int
  let content: Content
}
