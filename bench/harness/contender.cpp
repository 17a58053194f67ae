// SPDX-License-Identifier: Apache-2.0
#include "harness/contender.hpp"

#include <fatvec/core/error.hpp>

namespace fatvec::bench {
namespace {

void require_plain(const std::string& text, const std::string& label) {
  if (!text.empty() && text.find_first_of("/:, ") == std::string::npos) return;
  throw Error(detail::concat("contender ", label, ": '", text,
                             "' cannot be part of a case name; it must not be empty nor hold ", "'/', ':', ',' or a space."));
}

}  // namespace

std::string Contender::label() const {
  std::string text = "contender:" + name;
  if (product::backends().size() > 1) text += "/backend:" + backend;
  text += "/format:" + format;
  for (const auto& [key, value] : parameters) text += "/" + key + ":" + value;
  return text;
}

std::string Contender::parameter(const std::string& key) const {
  for (const auto& parameter : parameters)
    if (parameter.key == key) return parameter.value;
  return {};
}

void Registry::add(Contender contender) {
  const std::string label = contender.label();
  for (const auto& text : {contender.name, contender.backend, contender.format}) require_plain(text, label);
  for (const auto& [key, value] : contender.parameters) {
    require_plain(key, label);
    require_plain(value, label);
  }
  for (const auto& other : contenders_)
    if (other.label() == label) throw Error(detail::concat("two contenders are registered as ", label, "."));
  contenders_.push_back(std::move(contender));
}

}  // namespace fatvec::bench
