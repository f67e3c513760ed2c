/// What a load is made of.
struct LoadShape {
  let load: Load
  /// How long the archive is.
  let archiveByteCount: Int
  /// What is in the tree; nil for the load that has none.
  let counts: WorkloadCounts?

  init(_ material: Material) throws {
    load = material.load
    counts = material.load.size == nil ? nil : material.workload.counts
    archiveByteCount = try (material.load.size == nil ? material.recordsArchive : material.archive).get().count
  }
}
