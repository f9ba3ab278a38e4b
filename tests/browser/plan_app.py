"""The plan-tree editor as the only thing in an app that Panel serves; told is who signed, and for what."""

import panel as pn

from allotment.views.plan_editor.widget import PlanEditorPane

pn.extension()
said = pn.widgets.StaticText(value="nobody signed")
editor = PlanEditorPane("fifteen-teams", gpus=1024)
editor.on_change(
    lambda edit: said.param.update(value=f"signed by {edit.author}: science has {editor.plan.node('science').share}")
)
pn.Column(editor, said, sizing_mode="stretch_width").servable()
