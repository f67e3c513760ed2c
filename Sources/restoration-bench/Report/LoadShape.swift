/// What a load is made of.
struct LoadShape {
  let load: Load
  /// How long the archive is.
  let archiveByteCount: Int
  /// What is in the tree; nil for the load that has none.
  let counts: WorkloadCounts?
  /// The payload of the small workload, if a byte of this one is held against that.
  let smallPayload: Int?

  init(_ material: Material) throws {
    load = material.load
    smallPayload = material.small?.workload.counts.payload
    counts = material.load.size == nil ? nil : material.workload.counts
    archiveByteCount = try (material.load.size == nil ? material.recordsArchive : material.archive).get().count
  }
}
