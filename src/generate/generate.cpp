// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/generate/build.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/generate/patterns.hpp>
#include <fatvec/generate/random_rows.hpp>
#include <fatvec/generate/stencils.hpp>
#include <fatvec/generate/symmetric_twin.hpp>
#include <fatvec/generate/twin_matrix.hpp>

namespace fatvec::generate {
namespace {

using Text = std::string_view;

/// Reads the whole text as a number; false where it is none or does not fit T.
template <class T>
bool read_number(Text text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_integer(Text text, std::int64_t minimum, std::int64_t& number) {
  return read_number(text, number) && number >= minimum;
}

bool read_real_above(Text text, double bound, double& number) {
  return read_number(text, number) && std::isfinite(number) && number > bound;
}

/// A field of Spec that a text can set: an argument by its place (capital names), an option by its
/// name.
struct Field {
  Text name;
  Text wanted;               ///< the values it takes
  Text meaning;              ///< of an option; empty for an argument
  bool (*set)(Spec&, Text);  ///< false: not such a value
};

const Field fields[] = {
    {"HALFBANDWIDTH", "an integer from 0", "",
     [](Spec& s, Text t) { return read_integer(t, 0, s.half_bandwidth); }},
    {"PER_ROW", "an integer from 0", "",
     [](Spec& s, Text t) { return read_integer(t, 0, s.per_row); }},
    {"MEAN", "a number above 0", "", [](Spec& s, Text t) { return read_real_above(t, 0, s.mean); }},
    {"dof", "an integer from 1", "unknowns per grid point (default 1)",
     [](Spec& s, Text t) { return read_integer(t, 1, s.dof); }},
    {"exponent", "a number above 1, up to 1000", "how fast long rows get rare (default 2.4)",
     [](Spec& s, Text t) { return read_real_above(t, 1, s.exponent) && s.exponent <= 1000; }},
    {"max", "an integer from 1", "longest row (default 4700 * (rows / 10^6)^(1 / (exponent - 1)))",
     [](Spec& s, Text t) { return read_integer(t, 1, s.max.emplace()); }},
    {"seed", "an integer from 0", "of the random numbers, for every kind (default 1)",
     [](Spec& s, Text t) { return read_number(t, s.seed); }},
};

const Field& field(Text name) {
  return *std::find_if(std::begin(fields), std::end(fields),
                       [=](auto& f) { return f.name == name; });
}

/// A line of the table of kinds; a new kind is one more line.
struct KindEntry {
  Text name;
  Text size;                  ///< syntax of the size
  std::size_t extents;        ///< the most numbers a size has; one number stands for all
  Text argument;              ///< the field after the size, empty for none
  std::vector<Text> options;  ///< beside seed, which all have
  Text meaning;
  HostCsr (*generate)(const Spec&, const Wanted&);
};

template <int dimensions, Neighbourhood neighbourhood>
HostCsr stencil(const Spec& spec, const Wanted& wanted) {
  return build(Stencil(spec, dimensions, neighbourhood), spec, wanted);
}

template <class K>
HostCsr simple(const Spec& spec, const Wanted& wanted) {
  return build(K(spec), spec, wanted);
}

/// Its size is the name of a twin, and the rows where they are to be others.
constexpr Text twin_kind = "twin";

HostCsr twin(const Spec& spec, const Wanted& wanted) {
  const Twin& full = find_twin(spec.twin);
  const Twin sized =
      spec.sizes.empty() ? full : scaled(full, checked_extent(spec, "rows", {spec.sizes.at(0)}));
  if (sized.symmetry == Symmetry::symmetric) {
    constexpr double node = 14;  // order, rank, reach, and what sorting takes
    const std::int64_t nodes = sized.lengths.rows / sized.dofs;
    detail::require_fits<HostCsr::memory_space>("the order of the twin's rows",
                                                {0, static_cast<double>(nodes) * node},
                                                wanted.memory_limit, spec.text);
    return build(SymmetricTwin(sized, spec.seed), spec, wanted);
  }
  return build(TwinMatrix(sized, spec.seed), spec, wanted);
}

const std::vector<KindEntry>& kinds() {
  using enum Neighbourhood;
  static const std::vector<KindEntry> table = {
      {"stencil5",
       "NX[xNY]",
       2,
       "",
       {"dof"},
       "5-point Poisson matrix on a 2-D grid",
       stencil<2, star>},
      {"stencil9", "NX[xNY]", 2, "", {"dof"}, "9-point Laplacian on a 2-D grid", stencil<2, box>},
      {"stencil7",
       "NX[xNYxNZ]",
       3,
       "",
       {"dof"},
       "7-point Poisson matrix on a 3-D grid",
       stencil<3, star>},
      {"stencil27",
       "NX[xNYxNZ]",
       3,
       "",
       {"dof"},
       "27-point Laplacian on a 3-D grid",
       stencil<3, box>},
      {"banded", "N", 1, "HALFBANDWIDTH", {}, "full band around the diagonal", simple<Banded>},
      {"uniform",
       "N|RxC",
       2,
       "PER_ROW",
       {},
       "random columns, all rows equally long",
       simple<Uniform>},
      {"powerlaw",
       "N|RxC",
       2,
       "MEAN",
       {"exponent", "max"},
       "random columns, few very long rows",
       simple<PowerLaw>},
      {"arrow", "N", 1, "", {}, "dense first row, first column, and diagonal", simple<Arrow>},
      {"diagonal", "N", 1, "", {}, "random diagonal", simple<Diagonal>},
      {"empty", "N|RxC", 2, "", {}, "no entries", simple<Empty>},
      {twin_kind, "NAME[:ROWS]", 0, "", {}, "stand-in for a well-known matrix, say cavity10", twin},
  };
  return table;
}

const KindEntry* find_kind(Text name) {
  const auto found =
      std::find_if(kinds().begin(), kinds().end(), [=](auto& kind) { return kind.name == name; });
  return found == kinds().end() ? nullptr : &*found;
}

std::string syntax(const KindEntry& kind) {
  std::string text = detail::concat("gen:", kind.name, ":", kind.size);
  if (!kind.argument.empty()) text += detail::concat(":", kind.argument);
  for (const Text option : kind.options) text += detail::concat("[:", option, "=...]");
  return text;
}

template <class... Parts>
[[noreturn]] void refuse(const Spec& spec, const Parts&... problem) {
  throw UsageError(detail::concat("\"", spec.text, "\": ", problem..., ".\n", spec_help()));
}

std::vector<Text> split(Text text, char separator) {
  std::vector<Text> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void set(Spec& spec, const Field& target, Text value) {
  if (!target.set(spec, value))
    refuse(spec, target.name, " must be ", target.wanted, ", not \"", value, "\"");
}

void set_sizes(Spec& spec, const KindEntry& kind, Text value) {
  const auto parts = split(value, 'x');
  spec.sizes.resize(parts.size());
  const auto read = [](Text part, std::int64_t& size) { return read_integer(part, 0, size); };
  const bool numbers = std::equal(parts.begin(), parts.end(), spec.sizes.begin(), read);
  if (!numbers || (parts.size() != 1 && parts.size() != kind.extents)) {
    refuse(spec, "the size must be ", kind.size, " of integers from 0, not \"", value, "\"");
  }
}

/// Reads what follows "twin"; the number of parts that it took.
std::size_t set_twin(Spec& spec, const std::vector<Text>& parts) {
  spec.twin = find_twin(parts[1]).name;
  std::int64_t rows = 0;
  if (parts.size() < 3 || parts[2].find('=') != Text::npos) return 2;
  if (!read_integer(parts[2], 100, rows))
    refuse(spec, "ROWS must be an integer from 100, not \"", parts[2], "\"");
  spec.sizes = {rows};
  return 3;
}

HostCsr made(const Spec& spec, const Wanted& wanted) {
  const KindEntry* const kind = find_kind(spec.kind);
  if (kind == nullptr) refuse(spec, "unknown kind of matrix \"", spec.kind, "\"");
  return kind->generate(spec, wanted);
}

}  // namespace

bool is_spec(Text text) {
  return text.starts_with("gen:");
}

Spec parse_spec(Text text) {
  if (is_spec(text)) text.remove_prefix(4);
  Spec spec;
  spec.text = detail::concat("gen:", text);
  const auto parts = split(text, ':');
  spec.kind = parts[0];
  const KindEntry* const kind = find_kind(spec.kind);
  if (kind == nullptr) refuse(spec, "unknown kind of matrix \"", spec.kind, "\"");

  std::size_t arguments = kind->argument.empty() ? 2 : 3;  // the kind and the size are among them
  if (parts.size() < arguments) refuse(spec, "incomplete, the syntax is ", syntax(*kind));
  if (kind->name == twin_kind) {
    arguments = set_twin(spec, parts);
  } else {
    set_sizes(spec, *kind, parts[1]);
    if (arguments == 3) set(spec, field(kind->argument), parts[2]);
  }
  std::vector<Text> given;
  for (std::size_t n = arguments; n < parts.size(); ++n) {
    const std::size_t equals = parts[n].find('=');
    const Text name = parts[n].substr(0, equals);
    if (std::find(given.begin(), given.end(), name) != given.end())
      refuse(spec, name, " is given twice");
    given.push_back(name);
    const bool known = name == "seed" || std::find(kind->options.begin(), kind->options.end(),
                                                   name) != kind->options.end();
    if (equals == Text::npos || !known) {
      refuse(spec, "\"", parts[n], "\" is no option of ", kind->name, ", the syntax is ",
             syntax(*kind));
    }
    set(spec, field(name), parts[n].substr(equals + 1));
  }
  return spec;
}

std::string spec_help() {
  std::ostringstream help;
  const auto line = [&](const std::string& left, std::size_t width, Text right) {
    help << "  " << left << std::string(width > left.size() ? width - left.size() : 1, ' ') << right
         << "\n";
  };
  help << "Generated matrices:\n";
  for (const KindEntry& kind : kinds()) line(syntax(kind), 50, kind.meaning);
  help << "Options:\n";
  for (const Field& field : fields) {
    if (field.meaning.empty()) continue;  // an argument, not an option
    line(detail::concat(":", field.name, "=..."), 16,
         detail::concat(field.meaning, ", ", field.wanted));
  }
  return help.str();
}

HostCsr generate(const Spec& spec, std::optional<std::uint64_t> memory_limit,
                 const std::function<void(double)>& progress) {
  return made(spec, {memory_limit, {}, progress});
}

HostCsr generate_rows(const Spec& spec, const std::function<RowRange(std::int64_t)>& choose,
                      std::optional<std::uint64_t> memory_limit) {
  return made(spec, {memory_limit, choose, {}});
}

}  // namespace fatvec::generate
