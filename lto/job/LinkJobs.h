//===- LinkJobs.h - The jobs of a link, made on demand ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job names every symbol that its partition defines, imports or calls, so
// that all jobs of a program together take several times the memory of what WPA
// knows. A link keeps only their heads. The rest of a job is made where it
// runs: in the forked process, which has WPA's tables at no cost.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_LINKJOBS_H
#define GPULTO_LTO_JOB_LINKJOBS_H

#include "lto/job/LtransJob.h"

#include "llvm/ADT/ArrayRef.h"

#include <utility>
#include <vector>

namespace gpulto {

/// The jobs of a link, in their order.
class LinkJobs {
public:
  virtual ~LinkJobs() = default;

  size_t size() const { return heads.size(); }
  bool empty() const { return heads.empty(); }
  const JobHead &operator[](size_t index) const { return heads[index]; }
  auto begin() const { return heads.begin(); }
  auto end() const { return heads.end(); }

  /// Returns the complete job at \p index, the same at each call. Thread-safe.
  LtransJob make(size_t index) const {
    LtransJob job = makeBody(index);
    static_cast<JobHead &>(job) = heads[index];
    return job;
  }

  /// Returns the number of modules that the job at \p index reads.
  virtual size_t inputCount(size_t index) const = 0;

  /// Calls \p change for each head; changes also affect the job.
  template <typename Change> void changeHeads(Change change) {
    for (JobHead &head : heads)
      change(head);
  }

protected:
  /// Returns the job at \p index; its head does not matter.
  virtual LtransJob makeBody(size_t index) const = 0;

  std::vector<JobHead> heads;
};

/// Jobs that exist completely.
class GivenJobs : public LinkJobs {
public:
  explicit GivenJobs(std::vector<LtransJob> given) : jobs(std::move(given)) {
    heads.assign(jobs.begin(), jobs.end());
  }

  size_t inputCount(size_t index) const override {
    return jobs[index].inputs.size();
  }

private:
  LtransJob makeBody(size_t index) const override { return jobs[index]; }

  std::vector<LtransJob> jobs;
};

/// A subset of \p all, which must outlive it.
class SomeJobs : public LinkJobs {
public:
  SomeJobs(const LinkJobs &all, llvm::ArrayRef<size_t> positions)
      : all(all), positions(positions.vec()) {
    for (size_t position : positions)
      heads.push_back(all[position]);
  }

  size_t inputCount(size_t index) const override {
    return all.inputCount(positions[index]);
  }

private:
  LtransJob makeBody(size_t index) const override {
    return all.make(positions[index]);
  }

  const LinkJobs &all;
  std::vector<size_t> positions;
};

} // namespace gpulto

#endif
